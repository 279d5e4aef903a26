"""Spectrum, outliers, scores; and what holds for all figures."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from dendrolab import (
    Dendrogram,
    embed_dendrogram,
    embed_distances,
    outlier_scores,
    plots,
)


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    plt.close("all")


def points(n, columns=2):
    return np.random.default_rng(n).normal(size=(n, columns)) + np.arange(n)[:, None] % 3 * 4


def tree_of(n, linkage="average"):
    return Dendrogram.from_data(points(n), linkage)


def render(ax):
    ax.figure.canvas.draw()


@pytest.mark.parametrize("n", [1, 2, 3, 60])
def test_spectrum_draws_eigenvalues_and_their_share(n):
    embedding = embed_dendrogram(tree_of(n))
    ax = plots.draw_spectrum(embedding, max_components=100)
    np.testing.assert_array_equal([bar.get_height() for bar in ax.patches], embedding.eigenvalues)
    share = ax.figure.axes[1].lines[0].get_ydata()
    np.testing.assert_allclose(share, np.cumsum(embedding.explained))
    render(ax)


def test_long_spectrum_keeps_the_largest_in_size_and_colours_negative_ones():
    D = np.ones((4, 4)) - np.eye(4)
    D[0, 3] = D[3, 0] = 9
    with pytest.warns(UserWarning, match="not Euclidean"):
        embedding = embed_distances(D)
    ax = plots.draw_spectrum(embedding, max_components=2)
    first, last = ax.patches
    np.testing.assert_allclose([first.get_height(), last.get_height()], embedding.eigenvalues[[0, -1]])
    assert to_hex(first.get_facecolor()) != to_hex(last.get_facecolor())
    assert [text.get_text() for text in ax.get_xticklabels()] == ["1", "4"]
    assert last.get_x() - first.get_x() == 2
    assert ax.get_title() == "Spectrum, 2 of 4 components"


def test_outliers_are_sorted_and_named():
    tree = tree_of(60)
    scores = outlier_scores(tree, "linkage")
    ax = plots.draw_outliers(scores, top=5)
    np.testing.assert_array_equal([bar.get_width() for bar in ax.patches], np.sort(scores)[::-1][:5])
    names = [int(text.get_text()) for text in ax.get_yticklabels()]
    np.testing.assert_array_equal(scores[names], np.sort(scores)[::-1][:5])
    assert ax.yaxis_inverted()
    assert ax.get_title() == "Highest 5 of 60"
    render(ax)


def score_table():
    table = pd.DataFrame(
        [(r, c) for r in ("raw", "PCA", "average") for c in ("kmeans", "gmm")],
        columns=["representation", "clusterer"],
    )
    return table.assign(ami=[0.1, 0.2, 0.3, 0.9, np.nan, 0.5])


def test_scores_keep_their_order_and_mark_the_best():
    ax = plots.draw_scores(score_table())
    assert [text.get_text() for text in ax.texts] == ["0.100", "0.200", "0.300", "0.900", "0.500"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["raw", "PCA", "average"]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["kmeans", "gmm"]
    (best,) = ax.patches
    assert best.get_xy() == (1, 1)
    render(ax)


def test_scores_refuse_a_table_without_them():
    table = score_table()
    with pytest.raises(ValueError, match="column 'ami' of the table holds no score"):
        plots.draw_scores(table.assign(ami=np.nan))
    with pytest.raises(ValueError, match="no column 'ari'"):
        plots.draw_scores(table, score="ari")


def test_axes_given_are_used_and_inputs_not_modified():
    X, table = points(30), score_table()
    tree, labels = Dendrogram.from_data(X), np.arange(30) % 3
    embedding, scores = embed_dendrogram(tree), np.linspace(0, 1, 30)
    inputs = [X, labels, embedding.coordinates, embedding.eigenvalues, scores]
    before = [a.copy() for a in inputs]
    draws = [
        lambda ax: plots.draw_dendrogram(tree, ax=ax).ax,
        lambda ax: plots.draw_distance_matrix(tree, ax=ax),
        lambda ax: plots.draw_levels(tree, ax=ax),
        lambda ax: plots.draw_points(X, labels=labels, ax=ax),
        lambda ax: plots.draw_embedding(embedding.coordinates, labels=labels, ax=ax),
        lambda ax: plots.draw_minimax_path(X, 0, 1, ax=ax),
        lambda ax: plots.draw_spectrum(embedding, ax=ax),
        lambda ax: plots.draw_outliers(scores, ax=ax),
        lambda ax: plots.draw_scores(table, ax=ax),
    ]
    for draw in draws:
        _, ax = plt.subplots()
        assert draw(ax) is ax
    assert len(plt.get_fignums()) == len(draws)
    for a, b in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(a, b)
    pd.testing.assert_frame_equal(table, score_table())
