"""What the parameters of CDSK may be."""

from .cdsk_similarity import SIMILARITIES
from .cdsk_solvers import SOLVERS
from .gaussian_similarity import check_bandwidth, is_positive_number
from .validation import is_whole_number

_CHOICES = {
    "solver": SOLVERS,
    "init": ("uniform", "sparse"),
    "metric": ("euclidean", "precomputed"),
    "similarity": SIMILARITIES,
    "self_similarity": ("nearest", "kernel"),
}


def check_parameters(model):
    """Refuse parameters of CDSK that have no meaning, before any work."""
    for name, allowed in _CHOICES.items():
        if getattr(model, name) not in allowed:
            raise ValueError(f"{name} is {getattr(model, name)!r}: choose one of {[*allowed]}.")
    check_bandwidth(model.bandwidth)
    counts = {name: getattr(model, name) for name in ("n_clusters", "max_iter", "n_init", "n_neighbors")}
    for name, value in counts.items():
        optional = name == "n_neighbors" and value is None
        if not optional and not (is_whole_number(value) and value >= 1):
            raise ValueError(f"{name} is {value!r}: give a whole number from 1.")
    if not is_positive_number(model.lam) and not (isinstance(model.lam, str) and model.lam == "auto"):
        raise ValueError(f"lam is {model.lam!r}: give a positive number or 'auto'.")
    if not is_positive_number(model.tol):
        raise ValueError(f"tol is {model.tol!r}: give a positive number.")
