"""The heat map of two layers."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from dendrolab.stacking_plots import draw_stacking

NAMES = ("single", "complete", "average", "ward")


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    plt.close("all")


@pytest.fixture
def table():
    rows = [(first, second) for first in NAMES for second in ("-", *NAMES)]
    table = pd.DataFrame(rows, columns=["first", "second"]).assign(clusterer="kmeans")
    return table.assign(ami=np.linspace(0, 0.95, 20), ari=0.5)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_rows_are_first_layers_and_columns_second_ones_after_the_layer_alone(table):
    ax = draw_stacking(table.sample(frac=1, random_state=0).sort_index())
    assert [text.get_text() for text in ax.get_yticklabels()] == list(NAMES)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["alone", *NAMES]
    assert texts(ax) == [f"{ami:.3f}" for ami in table.ami]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("second layer", "first layer")
    assert ax.get_title() == "ami (kmeans)"
    assert ax.lines[0].get_xdata() == [1, 1]
    ax.figure.canvas.draw()


def test_the_best_is_outlined(table):
    assert draw_stacking(table).patches[0].get_xy() == (4, 3)
    table.loc[6, "ami"] = 0.99
    assert draw_stacking(table).patches[0].get_xy() == (1, 1)


def test_without_single_layers_there_is_no_line(table):
    ax = draw_stacking(table[table.second != "-"])
    assert [text.get_text() for text in ax.get_xticklabels()] == list(NAMES)
    assert len(ax.lines) == 0
    assert len(ax.texts) == 16


def test_single_layers_come_first_wherever_they_stand(table):
    ax = draw_stacking(table[::-1])
    assert ax.get_xticklabels()[0].get_text() == "alone"
    assert texts(ax)[0] == "0.750"


def test_repeated_pairs_are_averaged_and_gaps_stay_empty(table):
    ax = draw_stacking(pd.concat([table, table.assign(ami=table.ami + 0.02)]))
    assert texts(ax)[0] == "0.010"
    table.loc[0, "ami"] = np.nan
    assert len(draw_stacking(table).texts) == 19


def test_other_scores_and_axes(table):
    _, ax = plt.subplots()
    before = table.copy()
    assert draw_stacking(table, score="ari", ax=ax) is ax
    assert set(texts(ax)) == {"0.500"}
    pd.testing.assert_frame_equal(table, before)


def test_refusals(table):
    with pytest.raises(ValueError, match="has no column 'f1': it has first, second, clusterer, ami, ari"):
        draw_stacking(table, score="f1")
    with pytest.raises(ValueError, match=r"2 clusterers \(kmeans, gmm\): draw one at a time"):
        draw_stacking(pd.concat([table, table.assign(clusterer="gmm")]))
    with pytest.raises(ValueError, match="column 'ami' of the table holds no score"):
        draw_stacking(table.assign(ami=np.nan))
