"""Checks of data tables and distance matrices.

``is_*`` functions answer yes or no; ``check_*`` functions return the input in the form that the
algorithms take, or raise a ValueError that says what is wrong, where, the value found and the remedy.
No check modifies its input.
"""

from difflib import get_close_matches

import numpy as np
from scipy import sparse

from .memory import check_memory

# Rounding allowed in a distance matrix, relative to its largest entry, for its dtype.
_ROUNDING = {"symmetry": {4: 1e-5, 8: 1e-8}, "diagonal": {4: 1e-3, 8: 1e-6}}
_BLOCK_ROWS = 256
IMPUTE_REMEDY = "impute or drop them first, for example with sklearn.impute.SimpleImputer."
MEASURE_REMEDY = "measure these distances, or leave the objects out; for absent edges pass a sparse graph."


def check_data(X, name="X"):
    """Return a finite 2-D table as float64, float32 or CSR; refuse the rest.

    Parameters
    ----------
    X : array-like, DataFrame or sparse matrix of shape (n_objects, n_features)
    name : str
        The argument's name, for the messages.

    Returns
    -------
    ndarray or csr_array
    """
    from sklearn.utils import check_array

    refuse_text(X, name)
    if 0 in (getattr(X, "shape", None) or ()):
        raise ValueError(f"{name} has shape {X.shape}: give at least one row and one column.")
    try:
        X = check_array(
            X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False, input_name=name
        )
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"{name} is not a table of numbers (rows are objects): {error}") from error
    return check_finite(X, name)


def refuse_text(X, name="X"):
    """Refuse text and dates, also where they would convert to numbers, and masked arrays."""
    if np.ma.isMaskedArray(X):
        raise ValueError(
            f"{name} is a masked array: fill its masked entries first, with X.filled or an imputer."
        )
    types = X.dtypes if hasattr(X, "columns") else [getattr(X, "dtype", None) or np.asarray(X).dtype]
    kinds = {getattr(dtype, "kind", "O") for dtype in types}
    if kinds & set("mM"):
        raise ValueError(f"{name} holds dates or times: turn them into numbers of a unit that you choose.")
    values = np.asarray(X, dtype=object).ravel() if "O" in kinds else ()
    text = next((value for value in values if isinstance(value, (str, bytes))), None)
    if kinds & set("US") or text is not None:
        example = f", such as {text!r}" if text is not None else ""
        raise ValueError(
            f"{name} holds text{example}: give numbers; in a table, encode text columns first or leave them "
            "out."
        )


def check_finite(X, name="X", remedy=IMPUTE_REMEDY):
    """Return the table, or say which entry is NaN or infinite."""
    values = X.data if sparse.issparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum(dtype=np.float64)  # one pass, no array of flags
    if not np.isfinite(total):
        bad = ~np.isfinite(values)
        if bad.any():
            where = np.argwhere(bad)[0]
            value = "NaN" if np.isnan(values[tuple(where)]) else values[tuple(where)]
            place = _sparse_place(X, where[0]) if sparse.issparse(X) else tuple(where.tolist())
            raise ValueError(
                f"{name} contains {value} at {place} ({bad.sum()} entries are NaN or infinite): {remedy}"
            )
    return X


def _sparse_place(X, position):
    return int(np.searchsorted(X.indptr, position, side="right") - 1), int(X.indices[position])


def is_whole_number(value):
    """Tell whether a value is an integer of Python or NumPy, and no bool."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def looks_like_distances(X):
    """Tell whether a table is square, symmetric, non-negative and zero on its diagonal."""
    if X.ndim != 2 or X.shape[0] != X.shape[1] or X.shape[0] < 3:
        return False
    if sparse.issparse(X):
        return X.nnz > 0 and not X.diagonal().any() and X.data.min() >= 0 and abs(X - X.T).max() == 0
    return not np.diagonal(X).any() and X.min() >= 0 and is_symmetric(X)


def is_symmetric(D):
    """Tell whether a square matrix is symmetric up to the rounding of its dtype."""
    return _asymmetry(D, _tolerance("symmetry", D)) is None


def _tolerance(kind, D):
    largest = max(D.max(initial=0), -D.min(initial=0))
    return _ROUNDING[kind][4 if D.dtype.itemsize <= 4 else 8] * largest


def _asymmetry(D, tolerance):
    """Position of the first entry that differs from its mirror image, in row blocks to save memory."""
    for start in range(0, len(D), _BLOCK_ROWS):
        rows = slice(start, start + _BLOCK_ROWS)
        bad = np.abs(D[rows, start:] - D[start:, rows].T) > tolerance
        if bad.any():
            i, j = np.argwhere(bad)[0] + start
            return int(i), int(j)
    return None


def check_distances(D, name="D"):
    """Return distances in condensed float64 form, from a square matrix or a condensed vector.

    Asymmetry and a diagonal within rounding (relative to the largest distance: 1e-8 and 1e-6 for
    float64, 1e-5 and 1e-3 for float32) are averaged and set to zero; beyond it they are refused.

    Parameters
    ----------
    D : array-like of shape (n, n) or (n * (n - 1) / 2,)
    name : str

    Returns
    -------
    ndarray of shape (n * (n - 1) / 2,)
        A new array, or the input itself where it is a condensed float64 vector already.
    """
    D = as_numbers(D, name)
    if D.ndim == 1:
        check_condensed_length(D, name)
        _check_distance_values(D, name)
        D = np.ascontiguousarray(D, dtype=np.float64)
        return D if D.min(initial=0) == 0 else np.maximum(D, 0)
    check_square_distances(D, name)
    n = len(D)
    check_memory(4 * n * (n - 1), f"the condensed form of {name}")
    return _condense(D)


def as_numbers(D, name):
    """Return a dense float32 or float64 array; refuse sparse input, text and complex numbers."""
    if sparse.issparse(D):
        raise ValueError(f"{name} is sparse, where absent entries have no distance: give a dense matrix.")
    refuse_text(D, name)
    try:
        D = np.asarray(D)
        if np.iscomplexobj(D):
            raise ValueError("complex numbers")
        return D if D.dtype in (np.float32, np.float64) else D.astype(np.float64)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"{name} is not an array of real numbers: {error}.") from error


def check_condensed_length(D, name="D"):
    """Return n for a condensed vector of n (n - 1) / 2 distances."""
    n = int((1 + np.sqrt(1 + 8 * D.size)) // 2)
    if n * (n - 1) // 2 != D.size:
        raise ValueError(
            f"{name} is a vector of {D.size} numbers, which is not n (n - 1) / 2 for any n: "
            "give the n x n matrix, or its condensed form as scipy.spatial.distance.squareform makes it."
        )
    return n


def check_square_distances(D, name="D"):
    """Return a square matrix that holds distances up to rounding; refuse the rest."""
    if D.ndim != 2 or D.shape[0] != D.shape[1] or D.size == 0:
        raise ValueError(
            f"{name} has shape {D.shape}: distances are a square n x n matrix or a condensed vector. "
            "For a table of measurements use from_data or another metric than 'precomputed'."
        )
    check_finite(D, name, MEASURE_REMEDY)
    _check_diagonal(D, name)
    _check_distance_values(D, name)
    place = _asymmetry(D, _tolerance("symmetry", D))
    if place is not None:
        i, j = place
        raise ValueError(
            f"{name} is not symmetric: [{i}, {j}] is {D[i, j]:.6g} and [{j}, {i}] is {D[j, i]:.6g}. "
            "If both are measurements of one distance, pass (D + D.T) / 2."
        )
    return D


def _check_distance_values(D, name):
    check_finite(D, name, MEASURE_REMEDY)
    if D.size and D.min() < -_tolerance("symmetry", D):
        place = np.unravel_index(int(D.argmin()), D.shape)
        raise ValueError(
            f"{name} has a negative distance, {D.min():.6g} at {tuple(int(i) for i in place)}. "
            "If these are similarities, turn them into distances first, such as S.max() - S."
        )


def _check_diagonal(D, name):
    diagonal = np.abs(np.diagonal(D))
    i = int(diagonal.argmax())
    if diagonal[i] > _tolerance("diagonal", D) or (len(D) == 1 and diagonal[0] > 0):
        similar = " It looks like a similarity: turn it into distances first, such as S.max() - S."
        hint = (
            similar if (D.max(axis=1) <= np.diagonal(D)).mean() > 0.5 else " Set it to zero if that is meant."
        )
        raise ValueError(f"{name} has {D[i, i]:.6g} on its diagonal at [{i}, {i}], not 0.{hint}")


def _condense(D):
    """Upper triangle of (D + D.T) / 2; negative rounding becomes 0."""

    def block(start, stop):
        return np.maximum((D[start:stop, start:] + D[start:, start:stop].T.astype(np.float64)) / 2, 0)

    return condensed_from_blocks(len(D), block)


def condensed_from_blocks(n, block):
    """Condensed vector filled from ``block(start, stop)``: rows start to stop, columns start to n."""
    condensed = np.empty(n * (n - 1) // 2)
    filled = 0
    for start in range(0, n, _BLOCK_ROWS):
        for k, row in enumerate(block(start, min(start + _BLOCK_ROWS, n))):
            condensed[filled : filled + row.size - k - 1] = row[k + 1 :]
            filled += row.size - k - 1
    return condensed


def refuse_components(count):
    """Raise for distances that are infinite between parts of the data."""
    raise ValueError(
        f"there are {count} connected components, with infinite distances across: take each component by "
        "itself, or add edges that connect them."
    )


def suggest(name, names):
    """Say what helps after a misspelt name: the closest one, if one is close, and the list."""
    names = list(map(str, names))
    close = get_close_matches(str(name), names, n=1)
    there_are = f"here are: {', '.join(names[:30])}" + (", ..." if len(names) > 30 else "")
    return f"did you mean {close[0]!r}? T{there_are}" if close else f"t{there_are}"


def check_dendrogram(dendrogram):
    """Refuse what is no Dendrogram, such as its linkage matrix, and say how to make one of it."""
    if not hasattr(dendrogram, "linkage_matrix"):
        shape = f" of shape {dendrogram.shape}" if hasattr(dendrogram, "shape") else ""
        raise ValueError(
            f"dendrogram is {type(dendrogram).__name__}{shape}: make one by Dendrogram.from_data(X), "
            "Dendrogram.from_distances(D) or Dendrogram.from_linkage_matrix(Z)."
        )
