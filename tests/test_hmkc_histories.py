"""HMKC against the objective histories of its authors' release."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn import datasets

from dendrolab.hmkc import HMKC
from dendrolab.kernels import kernel_family, prepare_kernels

HISTORIES = json.loads(Path(__file__).with_name("hmkc_histories.json").read_text())
CASES = [(name, sizes) for name, case in HISTORIES.items() for sizes in case["histories"]]


def case_kernels(case):
    name = {"digits300": "digits"}.get(case, case)
    X = getattr(datasets, f"load_{name}")().data[: HISTORIES[case]["rows"]]
    if HISTORIES[case]["standardised"]:
        X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    return prepare_kernels(kernel_family(X, {"kernel": "gaussian", "scale": HISTORIES[case]["scales"]}))


@pytest.mark.parametrize(("case", "sizes"), CASES)
def test_the_figures_of_the_authors_come_out(case, sizes):
    expected = HISTORIES[case]["histories"][sizes]
    model = HMKC(HISTORIES[case]["clusters"], [int(c) for c in sizes.split()], random_state=0)
    history = model.fit(case_kernels(case)).objective_history_
    assert history[0] == pytest.approx(expected["objective"][0], rel=1e-8)
    assert history[-1] >= (1 - 1e-5) * expected["objective"][-1]
    if len(sizes.split()) == 1:
        np.testing.assert_allclose(history, expected["objective"], rtol=1e-8)
        np.testing.assert_allclose(model.kernel_weights_, expected["beta"], rtol=1e-8)
