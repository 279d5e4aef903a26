"""Parameters of a notebook: read, checked, cast."""

import datetime
import json
import os
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest

from dendrolab.parameters import check_parameters, notebook_parameters


def test_parameters_are_read_with_annotations_and_equals_signs(notebook):
    assert notebook_parameters(notebook) == {
        "seed": 0,
        "scale": 1.0,
        "fast": False,
        "label": "a=b",
        "linkages": ["single"],
        "limit": None,
        "out": ".",
    }


@pytest.mark.parametrize("line", ["n = 2 * 3", "a = b = 1", "import os", "a, b = 1, 2", "d.x = 1", "n: int"])
def test_parameters_that_are_no_literals_are_refused(tmp_path, line, write_notebook):
    notebook = write_notebook(tmp_path / "computed.ipynb", parameters=f"k = 1\n{line}")
    with pytest.raises(ValueError, match="may hold only"):
        notebook_parameters(notebook)


@pytest.mark.parametrize("tagged", [0, 2])
def test_exactly_one_parameters_cell(tmp_path, tagged):
    cells = [nbformat.v4.new_code_cell("k = 1", metadata={"tags": ["parameters"]}) for _ in range(tagged)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "n.ipynb")
    with pytest.raises(ValueError, match=f"has {tagged} cells tagged"):
        notebook_parameters(tmp_path / "n.ipynb")


def test_a_file_that_is_no_notebook_is_refused(tmp_path):
    for text in ("no JSON", "[]", "{}"):
        (tmp_path / "n.ipynb").write_text(text)
        with pytest.raises(ValueError, match="is not a notebook"):
            notebook_parameters(tmp_path / "n.ipynb")


def test_a_misspelt_parameter_is_refused_with_the_closest(notebook):
    with pytest.raises(
        ValueError, match=r"no parameter 'sede'; did you mean 'seed'\? There are: seed, scale"
    ):
        check_parameters(notebook, {"sede": 1})


@pytest.mark.parametrize(
    ("value", "builtin"),
    [
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        ((1, (2.0, Path("a") / "b")), [1, [2.0, os.path.join("a", "b")]]),
        (range(2), [0, 1]),
        (pd.Series([1, 2]), [1, 2]),
        (pd.Series([1, 2], dtype="Int64").iloc[0], 1),
        (pd.Timestamp("2026-01-02"), "2026-01-02T00:00:00"),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        ({"a": np.array([1.5])}, {"a": [1.5]}),
    ],
)
def test_values_are_cast_to_builtins(notebook, value, builtin):
    cast = check_parameters(notebook, {"limit": value})["limit"]
    assert cast == builtin
    assert type(cast) is type(builtin)
    assert json.loads(json.dumps(cast)) == builtin


@pytest.mark.parametrize(
    "value", [{1, 2}, {1: "a"}, object(), 1j, [pd.NaT], pd.NA, b"a", np.array([object()])]
)
def test_values_that_cannot_be_cast_are_refused(notebook, value):
    with pytest.raises(ValueError, match=r"parameter 'limit'.* cannot be written into a notebook"):
        check_parameters(notebook, {"limit": value})


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("seed", 7.0, "a whole number"),
        ("seed", True, "a whole number"),
        ("seed", "7", "a whole number"),
        ("scale", False, "a number"),
        ("fast", 1, "True or False"),
        ("label", 1, "text"),
        ("label", None, "text"),
        ("linkages", "single", "a list"),
    ],
)
def test_types_are_those_of_the_defaults(notebook, name, value, expected):
    with pytest.raises(ValueError, match=f"parameter '{name}' is {value!r}; expected {expected}"):
        check_parameters(notebook, {name: value})


def test_a_whole_number_serves_as_a_float(notebook):
    value = check_parameters(notebook, {"scale": 2})["scale"]
    assert value == 2.0
    assert type(value) is float
