"""The paper's rows on TF-IDF vectors of texts."""

import pandas as pd
import pytest

from dendrolab.text_tables import read_texts, text_table

FRUIT = ["apple cherry plum", "cherry plum pear", "plum pear apple", "pear apple cherry"]
ROADS = ["car train bus", "train bus tram", "bus tram car", "tram car train"]
TEXTS, CLASSES = FRUIT + ROADS, ["fruit"] * 4 + ["road"] * 4


def test_two_vocabularies_are_told_apart():
    table = text_table(TEXTS, CLASSES, n_init=3)
    assert len(table) == 8 * 3 * 3
    ward = table[(table.representation == "ward") & (table.clusterer == "kmeans")]
    assert ward.value.tolist() == pytest.approx([1, 1, 1])


def test_a_folder_and_a_table_give_the_same(tmp_path):
    for i, (text, label) in enumerate(zip(TEXTS, CLASSES, strict=True)):
        (tmp_path / label).mkdir(exist_ok=True)
        (tmp_path / label / f"{i}.txt").write_text(text, encoding="utf-8")
    texts, y = read_texts(tmp_path)
    assert (texts, y.tolist()) == (TEXTS, CLASSES)
    pd.DataFrame({"body": TEXTS, "topic": CLASSES}).to_csv(tmp_path / "own.csv", index=False)
    texts, y = read_texts(tmp_path / "own.csv", text="body", label="topic")
    assert (texts, y.tolist()) == (TEXTS, CLASSES)


def test_bad_files_are_refused(tmp_path):
    path = tmp_path / "own.csv"
    pd.DataFrame({"text": ["a", None], "label": [0, 1]}).to_csv(path, index=False)
    with pytest.raises(ValueError, match="no column 'topic', but text, label"):
        read_texts(path, label="topic")
    with pytest.raises(ValueError, match="no 'text' in row 3"):
        read_texts(path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="a folder for each class"):
        read_texts(tmp_path / "empty")


def test_bad_texts_are_refused():
    with pytest.raises(ValueError, match="2 texts and 1 classes"):
        text_table(["a b", "c d"], [0])
    with pytest.raises(ValueError, match=r"text 8 has no word that is kept \(1 such texts\)"):
        text_table([*TEXTS, "the and of"], [*CLASSES, "road"])
    with pytest.raises(ValueError, match="sample of at most 10000"):
        text_table(["word"] * 10_001, [0] * 10_001)
