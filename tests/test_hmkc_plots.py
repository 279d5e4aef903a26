"""Figures of kernels and of HMKC."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from dendrolab.hmkc import HMKC
from dendrolab.hmkc_plots import (
    draw_kernel_spectrum,
    draw_kernel_weights,
    draw_one_layer,
    draw_similarity,
    draw_two_layers,
)
from dendrolab.kernel_spectrum import kernel_spectrum
from dendrolab.palette import GREY, PALETTE


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def model():
    X = np.random.default_rng(0).normal(size=(30, 2))
    return HMKC(2, [8, 4], kernel="gaussians", random_state=0).fit(X)


def test_spectrum_colours_what_the_partition_keeps():
    ax = draw_kernel_spectrum(kernel_spectrum(np.diag([1.0, 6.0, 3.0])), 2)
    assert ax.get_title() == "top 2 keep 90%"
    (lines,) = ax.collections
    assert [segment[1, 1] for segment in lines.get_segments()] == [6, 3, 1]
    assert [matplotlib.colors.to_hex(c) for c in lines.get_colors()] == [PALETTE[3], PALETTE[3], GREY]


def test_spectrum_draws_no_more_components_than_asked_for():
    ax = draw_kernel_spectrum(kernel_spectrum(np.eye(9)), 2, max_components=4)
    assert len(ax.collections[0].get_segments()) == 4
    assert ax.get_title() == "top 2 keep 22%"


def test_similarity_puts_groups_side_by_side_with_lines_between():
    K = np.arange(9.0).reshape(3, 3)
    ax = draw_similarity(K, ["b", "a", "b"])
    np.testing.assert_array_equal(ax.images[0].get_array(), K[np.ix_([1, 0, 2], [1, 0, 2])])
    assert [line.get_ydata()[0] for line in ax.lines[::2]] == [0.5]


def test_similarity_of_a_matrix_with_columns_is_its_projection():
    H = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 2)))[0]
    ax = draw_similarity(H, np.zeros(6))
    np.testing.assert_allclose(ax.images[0].get_array(), H @ H.T)
    assert len(ax.lines) == 0


def test_similarity_of_many_objects_is_drawn_by_block_means():
    n = 301  # blocks of three, the last of one
    K = np.add.outer(np.arange(n), 1000.0 * np.arange(n))
    cells = draw_similarity(K, np.zeros(n)).images[0].get_array()
    assert cells.shape == (101, 101)
    assert (cells[0, 0], cells[1, 0], cells[-1, -1]) == (1001, 1004, 300300)


def test_similarity_lines_are_where_the_objects_are():
    groups = np.repeat([0, 1], [100, 301])
    ax = draw_similarity(np.eye(401), groups)
    assert ax.lines[0].get_ydata()[0] == 99.5
    assert ax.images[0].get_extent() == [-0.5, 400.5, 400.5, -0.5]


def test_similarity_of_one_object():
    assert draw_similarity([[1.0]], [0]).images[0].get_clim() == (0, 1)


def test_similarity_refuses_another_number_of_groups():
    with pytest.raises(ValueError, match="2 groups for 3 objects"):
        draw_similarity(np.eye(3), [0, 1])


def test_weights_of_every_layer_and_kernel(model):
    ax = draw_kernel_weights(model, ["a", "b", "c", "d"])
    heights = np.reshape([bar.get_height() for bar in ax.patches], (3, 4))
    np.testing.assert_array_equal(heights, [*model.layer_weights_, model.kernel_weights_])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["layer 1", "layer 2", "partition"]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["a", "b", "c", "d"]


SWEEP = pd.DataFrame(
    {
        "n_layers": [1, 1, 2, 2, 2],
        "c1": [8, 4, 8, 12, 12],
        "layer_sizes": ["8", "4", "8, 4", "12, 4", "12, 8"],
        "accuracy": [0.5, 0.25, 0.75, 0.5, 1.0],
        "n_iter": [2, 3, 4, 5, 6],
    }
)


def test_one_layer_in_order_of_size_with_baselines():
    ax = draw_one_layer(SWEEP, baselines={"A-MKKM": 0.6})
    assert ax.lines[0].get_xydata().tolist() == [[4, 0.25], [8, 0.5]]
    assert ax.lines[1].get_ydata()[0] == 0.6


@pytest.mark.parametrize(
    ("score", "texts"), [("accuracy", ["0.75", "0.50", "1.00"]), ("n_iter", ["4", "5", "6"])]
)
def test_two_layers_as_cells(score, texts):
    ax = draw_two_layers(SWEEP, score=score)
    assert [text.get_text() for text in ax.texts] == texts
    assert [label.get_text() for label in ax.get_xticklabels()] == ["8", "12"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["4", "8"]


@pytest.mark.parametrize(
    ("draw", "n_layers", "number"), [(draw_one_layer, 2, "one layer"), (draw_two_layers, 1, "two layers")]
)
def test_a_sweep_without_such_runs_is_refused(draw, n_layers, number):
    with pytest.raises(ValueError, match=f"no run with {number}"):
        draw(SWEEP[SWEEP.n_layers == n_layers])
