"""Several clusterings of the same objects: their check, and how often they put two objects together."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from .memory import check_memory
from .validation import as_numbers, refuse_text

_BLOCK_ENTRIES = 4_000_000
_LARGEST_KEY = 2**62


@dataclass(frozen=True)
class Labelings:
    """Clusterings of n objects, with equal columns put together.

    Attributes
    ----------
    codes : ndarray of shape (M, n_groups)
        Labels 0, 1, ... of each member for the objects of a group; -1 where it has not seen them.
    sizes : ndarray of shape (n_groups,)
        Number of objects in each group.
    groups : ndarray of shape (n_objects,)
        The group of each object.
    weights : ndarray of shape (M,)
    """

    codes: np.ndarray
    sizes: np.ndarray
    groups: np.ndarray
    weights: np.ndarray


def group_labelings(labelings, weights=None):
    """Check clusterings and put objects together that have the same labels in all of them.

    Parameters
    ----------
    labelings : array-like of shape (M, n_objects)
        One row a clustering: whole numbers, -1 or NaN for an object that it has not seen.
    weights : array-like of shape (M,), optional
        How much each clustering counts; 1 if not given.

    Returns
    -------
    Labelings

    Raises
    ------
    ValueError
        For no or unequal rows, labels that are not whole numbers, and weights that are not positive.

    Examples
    --------
    >>> from dendrolab.labelings import group_labelings
    >>> group_labelings([[0, 0, 1, 1], [5, 5, 5, 7]]).sizes
    array([2, 1, 1])
    """
    codes = check_labelings(labelings)
    weights = check_weights(weights, len(codes))
    groups = renumber(combined_key(codes + 1))
    members = np.zeros(groups.max() + 1, dtype=np.intp)
    members[groups] = np.arange(groups.size)
    return Labelings(codes[:, members], np.bincount(groups), groups, weights)


def check_labelings(labelings):
    """Return clusterings as codes 0, 1, ... in a row each, -1 for gaps; refuse the rest."""
    if hasattr(labelings, "to_numpy"):  # a DataFrame: its iteration would give column names
        labelings = labelings.to_numpy()
    if np.ma.isMaskedArray(labelings):
        refuse_text(labelings, "labelings")
    try:
        rows = [row if np.ma.isMaskedArray(row) else np.asarray(row) for row in labelings]
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"labelings is not a list of clusterings: give M rows of n labels ({error})."
        ) from error
    lengths = [row.size for row in rows]
    if not rows or any(row.ndim != 1 for row in rows) or 0 in lengths:
        raise ValueError(
            f"labelings has shape {np.shape(labelings) if not rows or len(set(lengths)) == 1 else lengths}: "
            "give at least one clustering, each a row of n labels."
        )
    if len(set(lengths)) > 1:
        raise ValueError(f"labelings have {lengths} labels: each must label the same objects, in one order.")
    return np.array([_codes(row, member) for member, row in enumerate(rows)])


def _codes(row, member):
    name = f"labelings[{member}]"
    exact = row.dtype.kind in "biu" and not np.ma.isMaskedArray(row)
    labels = row if exact else as_numbers(row, name)
    seen = ~np.isnan(labels) & (labels != -1)
    bad = seen & ~((labels == np.floor(labels)) & (labels >= 0) & (exact | (labels < 2**53)))
    if bad.any():
        where = int(bad.argmax())
        raise ValueError(
            f"{name} has {labels[where]} for object {where}: labels are whole numbers from 0, and -1 or NaN "
            "for an object that was not seen. numpy.unique(labels, return_inverse=True)[1] numbers any names."
        )
    if not seen.any():
        raise ValueError(f"{name} has no label at all: leave it out.")
    codes = np.full(labels.size, -1)
    codes[seen] = renumber(labels[seen] if exact else labels[seen].astype(np.int64))
    return codes


def check_weights(weights, n_members):
    """Return one positive weight a member."""
    if weights is None:
        return np.ones(n_members)
    weights = as_numbers(weights, "weights").astype(np.float64)
    if weights.shape != (n_members,):
        raise ValueError(f"weights has shape {weights.shape}: give one for each of {n_members} labelings.")
    bad = ~(np.isfinite(weights) & (weights > 0))
    if bad.any():
        where = int(bad.argmax())
        raise ValueError(
            f"weights[{where}] is {weights[where]}: weights are positive numbers. Leave out a labeling that "
            "is not to count."
        )
    return weights


def combined_key(codes):
    """One number for each column of codes >= 0, the same where the columns are the same."""
    key = np.zeros(codes.shape[1], dtype=np.int64)
    for row in codes:
        width = int(row.max()) + 1
        if (int(key.max()) + 1) * width > _LARGEST_KEY:
            key = renumber(key)
        key = key * width + row
    return key


def renumber(keys):
    """Numbers 0, 1, ... for whole numbers >= 0, in their order."""
    if keys.size == 0 or keys.max() > 4 * keys.size:
        return np.unique(keys, return_inverse=True)[1]
    keys = keys.astype(np.intp)
    return (np.cumsum(np.bincount(keys) > 0) - 1)[keys]  # without a sort


def coclustering_matrix(labelings, weights=None):
    """Signed graph of an ensemble: how often two objects are together, minus how often apart (Algorithm 1).

    Parameters
    ----------
    labelings : array-like of shape (M, n)
        One row a clustering: whole numbers, -1 or NaN for an object that it has not seen.
    weights : array-like of shape (M,), optional
        How much each clustering counts; 1 if not given.

    Returns
    -------
    ndarray of shape (n, n)
        S^e: each clustering adds its weight for a pair in one cluster, subtracts it for a pair in two, and
        has no say on a pair that it has not seen. Integers without weights.

    Raises
    ------
    MemoryError
        When n x n numbers do not fit. `ConsensusClustering` never needs them.

    Examples
    --------
    >>> from dendrolab import coclustering_matrix
    >>> coclustering_matrix([[0, 0, 1], [0, 0, 0]])
    array([[2, 2, 0],
           [2, 2, 0],
           [0, 0, 2]])
    """
    codes = check_labelings(labelings)
    n = codes.shape[1]
    values = check_weights(weights, len(codes)) if weights is not None else np.ones(len(codes), dtype=int)
    check_memory(8 * n * n, f"the {n} x {n} co-clustering matrix", "ConsensusClustering works without it.")
    S = np.empty((n, n), dtype=values.dtype)
    step = max(1, _BLOCK_ENTRIES // n)
    for start in range(0, n, step):
        S[start : start + step] = _votes(codes, values, slice(start, start + step))
    return S


def _votes(codes, weights, rows):
    """Rows of S^e."""
    votes = np.zeros((codes[0, rows].size, codes.shape[1]), dtype=weights.dtype)
    for code, weight in zip(codes, weights, strict=True):
        same = code[rows, None] == code
        both_seen = (code[rows, None] >= 0) & (code >= 0)
        votes += np.where(same, weight, -weight) * both_seen
    return votes


def positive_votes(labelings):
    """Sum of the positive entries of S^e over pairs of objects, without S^e.

    Parameters
    ----------
    labelings : Labelings

    Returns
    -------
    float

    Notes
    -----
    The part of the cost (Eq. 9) that does not depend on the clustering: the cost is this sum minus the sum of
    S^e over pairs inside clusters. Members agree on a pair, disagree or have not seen it; pairs are counted
    for each combination of these by inclusion and exclusion, in O(3^M n), or one by one where that is less.
    """
    states = np.prod([2.0 + bool((code < 0).any()) for code in labelings.codes])
    if 20 * states > labelings.sizes.size:
        return _positive_votes_by_pairs(labelings)
    return _positive_votes_by_states(labelings)


def _positive_votes_by_pairs(labelings):
    codes, sizes, weights = labelings.codes, labelings.sizes, labelings.weights
    total, step = 0.0, max(1, _BLOCK_ENTRIES // sizes.size)
    for start in range(0, sizes.size, step):
        votes = np.maximum(_votes(codes, weights, slice(start, start + step)), 0)
        total += sizes[start : start + step] @ votes @ sizes
    itself = weights @ (codes >= 0) @ sizes
    return float(total - itself) / 2


def _positive_votes_by_states(labelings):
    codes, sizes, weights = labelings.codes, labelings.sizes, labelings.weights
    gaps = (codes < 0).any(axis=1)
    # Along each axis: pairs on which the member agrees, pairs that it sees, all pairs.
    pairs = np.empty(2 + gaps)
    for choice in product(*(range(2 + gap) for gap in gaps)):
        choice = np.array(choice)
        seen = (codes[choice < 2] >= 0).all(axis=0)
        key = combined_key(codes[choice == 0][:, seen]) if seen.any() else np.zeros(0, dtype=int)
        together = np.bincount(renumber(key), sizes[seen])
        pairs[tuple(choice)] = (together * (together - 1)).sum() / 2
    votes = np.zeros(pairs.shape)
    for member, (gap, weight) in enumerate(zip(gaps, weights, strict=True)):
        pairs = np.moveaxis(pairs, member, 0)
        pairs = np.moveaxis(np.concatenate([pairs[:1], np.diff(pairs, axis=0)]), 0, member)
        shape = np.where(np.arange(len(codes)) == member, -1, 1)
        votes = votes + np.array([weight, -weight, 0])[: 2 + gap].reshape(shape)
    return float((np.maximum(votes, 0) * pairs).sum())
