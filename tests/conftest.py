"""What several test modules share: small trees, a slow reference, a machine without memory."""

import nbformat
import numpy as np
import pytest
from hypothesis import settings

from dendrolab import Dendrogram

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None, max_examples=40)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def line():
    """Single linkage of 0, 1, 5, 5.5: merges (2, 3) at 0.5, (0, 1) at 1, all at 4."""
    return Dendrogram.from_data([[0.0], [1.0], [5.0], [5.5]], linkage="single")


@pytest.fixture(scope="session")
def chain():
    """Make the linkage matrix in which every object joins one growing cluster, at heights 1, 2, ..."""

    def make(n):
        row = np.arange(n - 1)
        first = np.where(row == 0, 0, n + row - 1)
        return np.column_stack([np.minimum(first, row + 1), np.maximum(first, row + 1), row + 1.0, row + 2.0])

    return make


@pytest.fixture(scope="session")
def members():
    """List the set of objects under each node of a linkage matrix."""

    def make(Z):
        sets = [frozenset([i]) for i in range(len(Z) + 1)]
        for left, right in np.asarray(Z)[:, :2].astype(int):
            sets.append(sets[left] | sets[right])
        return sets

    return make


@pytest.fixture(scope="session")
def lca_distances(members):
    """Set f(merge) for all pairs that a merge joins, merge by merge."""

    def make(tree, f):
        sets = members(tree.linkage_matrix)
        D = np.zeros((tree.n_objects, tree.n_objects))
        for row, (left, right) in enumerate(tree.linkage_matrix[:, :2].astype(int)):
            for i in sets[left]:
                for j in sets[right]:
                    D[i, j] = D[j, i] = f[tree.n_objects + row]
        return D

    return make


@pytest.fixture
def one_kilobyte(monkeypatch):
    """A machine with 1 KB of memory left."""
    monkeypatch.setattr("dendrolab.memory.available_memory", lambda: 1000)


PARAMETERS = """
seed: int = 0
scale = 1.0
fast = False
label = "a=b"
linkages = ["single"]
limit = None
out = "."
"""
SCORES = """
import json, pathlib
if seed == 3:
    raise ValueError("\\x1b[31mseed 3\\x1b[0m is refused")
scores = {"double": 2 * seed, "seed": seed, "rows": [1, 2]}
pathlib.Path(out, "scores.json").write_text(json.dumps(scores))
"""


@pytest.fixture(scope="session")
def write_notebook():
    """Write a notebook of a title, a cell of parameters, and the cells given as text or as nodes."""

    def write(path, *sources, parameters=PARAMETERS):
        cells = [nbformat.v4.new_markdown_cell("# A small one")]
        cells.append(nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]}))
        cells += [nbformat.v4.new_code_cell(s) if isinstance(s, str) else s for s in sources]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
        return path

    return write


@pytest.fixture
def notebook(tmp_path, write_notebook):
    """A notebook that doubles its parameter `seed` into scores.json, and fails for seed 3."""
    return write_notebook(tmp_path / "small.ipynb", SCORES)
