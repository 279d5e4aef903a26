"""The dendrogram paper's experiment on texts (Table 8), for any texts: its own were not published."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_files
from sklearn.feature_extraction.text import TfidfVectorizer

from .clusterers import CLUSTERERS
from .ensemble_tables import block_scores

_MOST_TEXTS = 10_000


def read_texts(source, text="text", label="label"):
    """Read labelled texts from a CSV file, or from a folder with a folder of text files for each class.

    Parameters
    ----------
    source : path-like
    text, label : str
        Columns of the CSV file.

    Returns
    -------
    texts : list of str
    y : ndarray of shape (n_texts,)

    Raises
    ------
    ValueError
        If a column is missing or has gaps, or the folder has no classes.

    Examples
    --------
    >>> from dendrolab.protocols import read_texts
    >>> read_texts("reviews.csv", text="review", label="stars")  # doctest: +SKIP
    """
    source = Path(source)
    if source.is_dir():
        found = load_files(source, encoding="utf-8", decode_error="replace", shuffle=False)
        if not found.data:
            raise ValueError(f"{source} has no text files in folders: make a folder for each class.")
        return found.data, np.array(found.target_names)[found.target]
    table = pd.read_csv(source)
    for column in (text, label):
        if column not in table:
            raise ValueError(f"{source.name} has no column {column!r}, but {', '.join(table.columns)}.")
    for column in (text, label):
        if table[column].isna().any():
            line = int(table[column].isna().argmax()) + 2
            raise ValueError(f"{source.name} has no {column!r} in row {line}: leave that row out.")
    return table[text].astype(str).tolist(), table[label].to_numpy()


def text_table(
    texts,
    y,
    clusterers=CLUSTERERS,
    level="level",
    n_init=10,
    random_state=0,
    max_features=6000,
    progress=None,
):
    """The paper's block of rows on the TF-IDF vectors of texts (Table 8).

    Parameters
    ----------
    texts : sequence of str
        At most 10,000 documents, English for the stop words to be right.
    y : array-like of shape (n_texts,)
        Known classes.
    clusterers : sequence of {"kmeans", "gmm", "spectral"}
    level : str or callable
        Level function, as for `level_function`.
    n_init : int
        Number of starts of each clusterer and of the consensus.
    random_state : int, RandomState or None
    max_features : int
        The most frequent words that are kept; the paper had 5,823 and 5,495.
    progress : bool, optional
        Show a bar on work over two seconds; None shows it on a terminal only.

    Returns
    -------
    pandas.DataFrame
        One row a score: representation, clusterer, score, value, as in `uci_table`.

    Raises
    ------
    ValueError
        For too many texts, texts without a word that is kept, or another number of classes than texts.

    Notes
    -----
    The vectors stay sparse, and spectral clustering of more than 5,000 texts forms no n x n matrix. A mixture
    can't be fitted to thousands of columns: for "base" it takes their leading singular directions. Published
    figures are not joined: they are of other texts.

    Examples
    --------
    >>> from dendrolab.protocols import text_table
    >>> texts = ["red apple", "red cherry", "apple and cherry", "fast car", "fast train", "car and train"]
    >>> table = text_table(texts, [0, 0, 0, 1, 1, 1], ["spectral"])
    >>> len(table)
    24
    """
    y = np.asarray(y)
    if len(texts) != len(y):
        raise ValueError(f"there are {len(texts)} texts and {len(y)} classes: give one class for each text.")
    if len(texts) > _MOST_TEXTS:
        raise ValueError(f"there are {len(texts)} texts: take a sample of at most {_MOST_TEXTS}.")
    X = TfidfVectorizer(stop_words="english", max_features=max_features).fit_transform(texts)
    empty = np.flatnonzero(X.getnnz(axis=1) == 0)
    if empty.size:
        raise ValueError(
            f"text {empty[0]} has no word that is kept ({empty.size} such texts): leave them out, or raise "
            "max_features."
        )
    n_clusters = pd.Series(y).nunique()
    return block_scores(X, y, n_clusters, clusterers, level, n_init, random_state, progress)
