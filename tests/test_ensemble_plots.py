"""Figures of signed graphs and ensembles, and the panel that chooses members."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import sparse

from dendrolab.correlation import correlation_cost
from dendrolab.ensemble import DendrogramEnsemble
from dendrolab.ensemble_plots import draw_coclustering, draw_signed_graph
from dendrolab.ensemble_widgets import ensemble_panel, show_ensemble
from dendrolab.labelings import coclustering_matrix

TRIANGLE = np.array([[0, 1, -2], [1, 0, 0], [-2, 0, 0]])


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def points(n, columns=2):
    return np.random.default_rng(n).normal(size=(n, columns))


def lines(ax, strong):
    """Segments of full and dashed lines."""
    kept = [c for c in ax.collections if hasattr(c, "get_segments") and (c.get_alpha() == 1) == strong]
    return [len(c.get_segments()) for c in kept]


@pytest.mark.parametrize("S", [TRIANGLE, sparse.csr_array(TRIANGLE)])
def test_each_opinion_is_a_line_and_no_opinion_is_none(S):
    ax = draw_signed_graph(S)
    assert lines(ax, strong=True) == [1, 1]
    assert lines(ax, strong=False) == [0, 0]
    widths = [
        c.get_linewidths().max() for c in ax.collections if hasattr(c, "get_segments") and c.get_segments()
    ]
    assert widths[1] > widths[0]
    assert [text.get_text() for text in ax.texts] == ["0", "1", "2"]
    ax.figure.canvas.draw()


@pytest.mark.parametrize(("labels", "loud"), [([0, 0, 1], [0, 0]), ([0, 0, 0], [0, 1]), ([0, 1, 2], [1, 0])])
def test_lines_that_cost_stand_out_and_the_title_is_the_cost(labels, loud):
    ax = draw_signed_graph(TRIANGLE, labels=labels)
    assert lines(ax, strong=True) == loud
    assert ax.get_title() == f"cost {correlation_cost(labels, TRIANGLE):.6g}"
    colors = ax.collections[-1].get_facecolors()
    assert len(np.unique(colors, axis=0)) == len(set(labels))


def test_positions_are_kept_and_clusters_are_neighbours_on_the_circle():
    place = points(3)
    np.testing.assert_array_equal(
        draw_signed_graph(TRIANGLE, positions=place).collections[-1].get_offsets(), place
    )
    S = np.zeros((6, 6))
    xy = draw_signed_graph(S, labels=[0, 1, 0, 1, 0, 1]).collections[-1].get_offsets()
    step = np.linalg.norm(xy[0] - xy[2])
    assert np.linalg.norm(xy[2] - xy[4]) == pytest.approx(step) == np.linalg.norm(xy[1] - xy[3])


def test_refusals_of_the_graph():
    with pytest.raises(ValueError, match="61 objects"):
        draw_signed_graph(np.zeros((61, 61)))
    with pytest.raises(ValueError, match=r"positions has shape \(2, 2\)"):
        draw_signed_graph(TRIANGLE, positions=points(2))
    assert plt.get_fignums() == []


def test_coclustering_is_the_rescaled_signed_graph_in_the_order_of_clusters():
    members = np.random.default_rng(0).integers(3, size=(5, 20))
    labels = members[0]
    shown = np.array(draw_coclustering(members, labels=labels).images[0].get_array())
    share = (coclustering_matrix(members) / 5 + 1) / 2
    np.testing.assert_allclose(np.sort(shown, axis=None), np.sort(share, axis=None))
    size = np.bincount(labels)[labels[0]]
    first = np.flatnonzero(labels == labels[0])
    np.testing.assert_allclose(shown[:size, :size].sum(), share[np.ix_(first, first)].sum())


def test_gaps_are_left_out_of_the_share():
    shown = draw_coclustering([[0, 0, -1], [0, 1, -1], [0, 0, 1]]).images[0].get_array()
    assert sorted(np.round(np.unique(shown.filled(9)), 3)) == [0, 0.667, 1]
    shown = draw_coclustering([[0, -1], [-1, 0]]).images[0].get_array()
    assert shown.mask.sum() == 2


def test_many_objects_are_thinned_and_clusters_outlined():
    members = np.repeat(np.arange(3), 400)[None]
    ax = draw_coclustering(members, labels=members[0], max_size=50)
    assert ax.images[0].get_array().shape == (50, 50)
    assert "50 of 1,200 objects" in ax.get_title()
    assert len(ax.collections[-1].get_segments()) == 3


@pytest.mark.parametrize("columns", [1, 2, 5])
def test_show_ensemble_draws_votes_costs_and_clusters(columns):
    X = points(40, columns)
    figure = show_ensemble(X, ["complete", "ward"], y=[0, None] * 10 + [1] * 20)
    titles = [ax.get_title() for ax in figure.axes[:3]]
    assert titles[:2] == ["2 members", "Cost"]
    assert titles[2].startswith("consensus, AMI ")
    figure.canvas.draw()
    assert plt.get_fignums() == []


def test_a_member_without_a_say_is_named(monkeypatch, recwarn):
    def one_cluster_of_ward(tree, level, clusterer, n_clusters, *settings):
        return tree.cut(n_clusters=1 if tree.linkage == "ward" else n_clusters)

    monkeypatch.setattr("dendrolab.ensemble.cluster_dendrogram", one_cluster_of_ward)
    figure = show_ensemble(points(9), ["single", "ward"])
    assert figure.axes[1].get_title() == "Cost (left out: ward)"
    assert [text.get_text() for text in figure.axes[1].get_yticklabels()] == ["single", "consensus"]
    assert len(recwarn) == 0


def test_boxes_choose_members():
    X, before = points(30, 3), points(30, 3)
    panel = ensemble_panel(X)
    *boxes, clusterer, n_clusters, figure = panel.children
    assert [box.description for box in boxes] == ["single", "complete", "average", "ward"]

    def expected(linkages, clusterer="kmeans", k=3):
        return DendrogramEnsemble(k, linkages, clusterer, n_init=10, random_state=0).fit_predict(X)

    np.testing.assert_array_equal(panel.result, expected(["single", "complete", "average", "ward"]))
    boxes[0].value = boxes[2].value = False
    np.testing.assert_array_equal(panel.result, expected(["complete", "ward"]))
    clusterer.value, n_clusters.value = "spectral", 4
    np.testing.assert_array_equal(panel.result, expected(["complete", "ward"], "spectral", 4))
    boxes[1].value = boxes[3].value = False
    assert panel.result is None
    assert "cannot be drawn:</b> linkages is []" in figure.value
    boxes[3].value = True
    np.testing.assert_array_equal(panel.result, expected(["ward"], "spectral", 4))
    np.testing.assert_array_equal(X, before)


def test_classes_of_another_length_are_refused():
    with pytest.raises(ValueError, match="3 classes y for 30 objects"):
        show_ensemble(points(30), y=[0, 1, 2])
