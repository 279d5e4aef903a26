"""One colour for each cluster number, the same in every figure."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.colors import to_hex

GREY = "#9a9a9a"  # what belongs to no cluster: links above the cut, objects without a label
INK = "#303030"
_BASE = [c for i, c in enumerate(sns.color_palette("colorblind")) if i != 7]  # 7 is a grey
PALETTE = np.array(
    [to_hex(np.array(c) * keep + lift) for keep, lift in ((1, 0), (0.6, 0), (0.5, 0.5)) for c in _BASE]
)


def cluster_colors(codes):
    """Hex colour of each cluster number; grey for -1. From 27 clusters on colours repeat."""
    codes = np.asarray(codes)
    return np.where(codes < 0, GREY, PALETTE[codes % len(PALETTE)])


def label_codes(labels, n_objects):
    """Cluster number of each label, -1 for a gap, and the text of each number.

    Whole numbers from 0 stand for themselves, so that cluster 2 looks the same when cluster 1 is absent.
    """
    codes, classes = pd.factorize(pd.Series(labels), sort=True)
    if len(codes) != n_objects:
        raise ValueError(f"there are {len(codes)} labels for {n_objects} objects: give one an object.")
    numbers = _whole_numbers(classes)
    if numbers is None:
        return codes, dict(enumerate(map(str, classes)))
    return np.where(codes < 0, -1, numbers[codes]), {int(k): str(k) for k in numbers}


def _whole_numbers(classes):
    if not len(classes) or pd.api.types.is_bool_dtype(classes) or not pd.api.types.is_numeric_dtype(classes):
        return None
    values = classes.to_numpy(dtype=np.float64)
    whole = np.all((values == np.floor(values)) & (values >= 0) & (values < 1e6))
    return values.astype(np.intp) if whole else None


def object_names(names, n_objects):
    """Text for each object: the names given, or the objects' numbers."""
    names = range(n_objects) if names is None else list(names)
    if len(names) != n_objects:
        raise ValueError(f"there are {len(names)} names for {n_objects} objects: give one an object.")
    return np.array([str(name) for name in names], dtype=object)


def new_axes(ax, figsize=(6.4, 4.0)):
    """The axes given, or those of a new figure."""
    return plt.subplots(figsize=figsize, layout="constrained")[1] if ax is None else ax
