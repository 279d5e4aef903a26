"""CDSK as figures and as a panel, driven through its controls."""

import warnings

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import sparse

from dendrolab import CDSK
from dendrolab.cdsk_plots import draw_objective, draw_similarity, draw_weights
from dendrolab.cdsk_widgets import cdsk_panel, show_cdsk
from dendrolab.widgets import Panel


def points(n, columns=2):
    return np.random.default_rng(n).normal(size=(n, columns))


@pytest.fixture
def axes():
    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


@pytest.fixture(autouse=True)
def no_figure_leaks():
    yield
    assert plt.get_fignums() == []


def test_areas_are_shared_by_weight(axes):
    draw_weights(points(3), [0.5, 0.5, 0.0], labels=["a", "b", "b"], ax=axes)
    dots, marks = axes.collections
    assert len(dots.get_offsets()) == 3
    np.testing.assert_allclose(marks.get_sizes() / marks.get_sizes().sum(), [0.5, 0.5, 0])
    assert len(np.unique(marks.get_facecolors(), axis=0)) == 2


def test_a_weight_for_each_object(axes):
    with pytest.raises(ValueError, match=r"weights has shape \(2,\): give one for each of the 3"):
        draw_weights(points(3), [0.5, 0.5], ax=axes)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_similarity_is_drawn_in_order_of_clusters(axes, form):
    S = np.array([[9.0, 1, 2], [1, 9, 3], [2, 3, 9]])
    draw_similarity(form(S), labels=[0, 1, 0], ax=axes)
    image = axes.images[0]
    order = [0, 2, 1]
    np.testing.assert_array_equal(image.get_array(), S[np.ix_(order, order)])
    assert image.get_clim() == (0, 3)  # the diagonal does not set the scale
    assert len(axes.lines) == 2


def test_a_large_similarity_is_thinned_out(axes):
    draw_similarity(np.ones((50, 50)), max_size=10, ax=axes)
    assert axes.images[0].get_array().shape == (10, 10)


@pytest.mark.parametrize("solver", ["reduced", "smo"])
def test_every_recorded_value_of_the_objective_is_drawn(axes, solver):
    X = np.vstack([points(20), points(20) + 6])
    model = CDSK(2, lam=0.1, bandwidth=1.0, solver=solver, random_state=0).fit(X)
    draw_objective(model, ax=axes)
    line, *marks = axes.lines
    np.testing.assert_array_equal(line.get_ydata(), model.objective_history_)
    assert line.get_xdata()[-1] == model.n_iter_
    assert sum(len(mark.get_ydata()) for mark in marks) == len(model.objective_history_)


@pytest.mark.parametrize("columns", [1, 2, 5])
@pytest.mark.parametrize("n", [3, 60])
@pytest.mark.parametrize("solver", ["reduced", "smo", "discrete"])
def test_three_parts_and_no_warning(n, columns, solver):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = show_cdsk(points(n, columns), 2, bandwidth="std", solver=solver)
    assert isinstance(figure, Figure)
    assert len(figure.axes) == 3
    figure.canvas.draw()


def test_show_refuses_and_leaves_no_figure():
    with pytest.raises(ValueError, match="n_clusters is 3"):
        show_cdsk(points(2), 3, bandwidth=1.0)
    with pytest.raises(ValueError, match="lam is -1"):
        show_cdsk(points(4), 2, lam=-1)


def test_the_panel_fits_what_its_controls_say():
    X = points(40, 3)
    panel = cdsk_panel(X, 3, np.arange(40) % 3)
    assert isinstance(panel, Panel)
    lam, bandwidth, solver, figure = panel.children
    assert panel.result.bandwidth_ == pytest.approx(CDSK(3, 0.1, random_state=0).fit(X).bandwidth_)
    for settings in [(lam.min, "smo"), (lam.max, "discrete"), (0.1, "reduced")]:
        for tau in (2**bandwidth.min, 2**bandwidth.max):
            lam.value, solver.value = settings
            bandwidth.value = tau
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = CDSK(3, lam.value, tau, solver.value, random_state=0).fit(X)
            np.testing.assert_array_equal(panel.result.labels_, expected.labels_)
            np.testing.assert_array_equal(panel.result.weights_, expected.weights_)
            assert f"lam {lam.value:.3g}" in figure.value


def test_the_panel_says_what_it_cannot_draw():
    panel = cdsk_panel(points(4), 5)
    assert panel.result is None
    assert "cannot be drawn:</b> n_clusters is 5" in panel.children[-1].value
