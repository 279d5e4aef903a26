"""The entropy rule that chooses lam of CDSK without labels."""

import warnings

import numpy as np
from scipy.special import entr, softmax
from sklearn.base import clone

LAM_GRID = np.round(np.arange(1, 11) * 0.05, 2)
_SHARE = 0.1
_LEAST_PER_CLUSTER = 5


def choose_lam(model, X, random_state):
    """The lam with the least mean entropy on a sample of the objects.

    Parameters
    ----------
    model : CDSK
        Its parameters but `lam` are used.
    X : ndarray or csr_array of shape (n_objects, n_features)
        Or the similarity matrix, for a model of precomputed similarities.
    random_state : RandomState

    Returns
    -------
    lam : float
    entropies : ndarray of shape (10,)
        For each value of ``LAM_GRID``.

    Warns
    -----
    UserWarning
        Where 10% of the objects are fewer than five a cluster, and all are used.

    Examples
    --------
    >>> import numpy as np
    >>> from dendrolab.cdsk import CDSK
    >>> from dendrolab.cdsk_lam import choose_lam
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> lam, entropies = choose_lam(CDSK(1), X, np.random.RandomState(0))
    >>> lam, entropies.shape
    (0.05, (10,))
    """
    rows = _sample(X.shape[0], model.n_clusters, random_state)
    sample = X[rows][:, rows] if model.metric == "precomputed" else X[rows]
    seed = random_state.randint(2**31 - 1)
    entropies = np.empty(len(LAM_GRID))
    for k, lam in enumerate(LAM_GRID.tolist()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a sample has to say is not news of the data
            trial = clone(model).set_params(lam=lam, random_state=seed).fit(sample)
        entropies[k] = mean_entropy(trial.embedding_)
    return float(LAM_GRID[entropies.argmin()]), entropies


def mean_entropy(Y):
    """Mean entropy of softmax(Y_i) over the rows of an embedding.

    Parameters
    ----------
    Y : array-like of shape (n, c)

    Returns
    -------
    float

    Examples
    --------
    >>> from dendrolab.cdsk_lam import mean_entropy
    >>> round(mean_entropy([[0.0, 0.0]]), 4)
    0.6931
    """
    return float(entr(softmax(np.asarray(Y), axis=1)).sum(axis=1).mean())


def _sample(n, n_clusters, random_state):
    size = round(_SHARE * n)
    if size < _LEAST_PER_CLUSTER * n_clusters:
        warnings.warn(
            f"10% of {n} objects are too few for {n_clusters} clusters: lam is chosen on all of them. Give "
            "lam as a number to skip the choice.",
            stacklevel=4,
        )
        return np.arange(n)
    return np.sort(random_state.choice(n, size, replace=False))
