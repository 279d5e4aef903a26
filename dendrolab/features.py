"""Dendrogram features as a scikit-learn transformer, and stacks of them."""

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted, validate_data

from .dendrogram import Dendrogram
from .embedding import check_n_components, embed_dendrogram
from .levels import check_level_name
from .linkage import check_linkage_metric, check_ultrametric_linkage
from .memory import check_memory
from .pairwise import metric_name, squared_distances_sparse
from .validation import IMPUTE_REMEDY, MEASURE_REMEDY, check_finite, check_square_distances, refuse_text


class DendrogramFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Features whose squared Euclidean distances are the distances read off a dendrogram.

    Parameters
    ----------
    linkage : {"single", "complete", "average", "ward", "weighted"}
        Criterion that builds the dendrogram.
    level : {"level", "linkage", "size", "rank"}, callable or array-like
        Level function, as for `level_function`.
    n_components : int or float, optional
        Leading directions, or the share of the spectrum that they hold; None keeps all positive ones (dense,
        for a few thousand objects).
    metric : str or callable
        A metric of `scipy.spatial.distance.pdist`, or "precomputed": then X holds distances.
    engine : {"auto", "dense", "lean"}
        With all distances in memory, or in O(n d), as for `Dendrogram.from_data`.

    Attributes
    ----------
    dendrogram_ : Dendrogram
    embedding_ : ndarray of shape (n_objects, n_components)
        The training objects' features; float32 where X is.
    eigenvalues_ : ndarray of shape (n_components,)
        Variance that each column holds, times n.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where X has column names.

    See Also
    --------
    stack_features : layers of these features.
    embed_dendrogram : the embedding alone.

    Notes
    -----
    `transform` places a new row at its nearest training object, the first of several at equal distance: by
    the ultrametric rule it has that object's distances to all others. A row seen in training is its own
    nearest object; the training table as a whole gives `embedding_` back, also where rows repeat. Distances
    are computed in float64, also for float32 input.

    Examples
    --------
    >>> from dendrolab import DendrogramFeatures
    >>> X = [[0.0], [1.0], [5.0], [5.5]]
    >>> features = DendrogramFeatures("single", level="linkage", n_components=1).fit(X)
    >>> features.transform([[0.2], [9.0]]).round(2)
    array([[ 0.95],
           [-0.95]])
    """

    def __init__(
        self, linkage="average", level="level", n_components=None, metric="euclidean", engine="auto"
    ):
        self.linkage = linkage
        self.level = level
        self.n_components = n_components
        self.metric = metric
        self.engine = engine

    def fit(self, X, y=None):
        """Build the dendrogram of X and embed it.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_objects, n_features)
        y : ignored

        Returns
        -------
        DendrogramFeatures
        """
        check_ultrametric_linkage(self.linkage)
        check_level_name(self.level)
        check_n_components(self.n_components)
        if not self._precomputed:
            check_linkage_metric(self.linkage, self.metric)
        X = self._validated(X, reset=True)
        self.dendrogram_ = Dendrogram.from_data(X, self.linkage, self.metric, self.engine)
        embedding = embed_dendrogram(self.dendrogram_, self.level, self.n_components)
        self.embedding_ = embedding.coordinates.astype(X.dtype, copy=False)
        self.eigenvalues_ = embedding.eigenvalues
        self._X_fit = X
        self._n_features_out = self.embedding_.shape[1]
        return self

    def fit_transform(self, X, y=None):
        """Build the dendrogram of X and return its features.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_objects, n_features)
        y : ignored

        Returns
        -------
        ndarray of shape (n_objects, n_components)
        """
        return self.fit(X).embedding_.copy()

    def transform(self, X):
        """Features of rows: those of the nearest training object.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_rows, n_features)
            With ``metric="precomputed"``, distances to the training objects.

        Returns
        -------
        ndarray of shape (n_rows, n_components)
        """
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        if _same_table(X, self._X_fit):
            return self.embedding_.copy()
        return self.embedding_[self._nearest(X)].astype(X.dtype, copy=False)

    @property
    def _precomputed(self):
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _validated(self, X, reset):
        refuse_text(X)
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse=False if self._precomputed else "csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
        )
        check_finite(X, "X", MEASURE_REMEDY if self._precomputed else IMPUTE_REMEDY)
        return check_square_distances(X, "X") if self._precomputed and reset else X

    def _nearest(self, X):
        train = self._training_table(X)
        step = max(1, int(get_config()["working_memory"] * 2**20 / 4) // (8 * train.shape[0]))
        nearest = np.empty(X.shape[0], dtype=np.intp)
        for start in range(0, X.shape[0], step):
            distances = self._distances(X[start : start + step], train)
            nearest[start : start + step] = distances.argmin(axis=1)
            bad = ~(np.isfinite(distances) & (distances >= 0)).all(axis=1)
            if bad.any():
                raise ValueError(
                    f"row {start + int(bad.argmax())} of X has no distance to some training object: metric "
                    f"{metric_name(self.metric)!r} is undefined, negative or overflows for it. Rescale or "
                    "drop it."
                )
        return nearest

    def _training_table(self, X):
        """The training table in the form that `_distances` takes: sparse beside sparse rows, else dense."""
        train = self._X_fit
        if not sparse.issparse(train) or (sparse.issparse(X) and self.metric in ("euclidean", "sqeuclidean")):
            return train
        check_memory(8 * train.shape[0] * train.shape[1], "the training table in dense form")
        return train.toarray()

    def _distances(self, X, train):
        """Distances to the training rows, for sparse rows by one product."""
        if self._precomputed:
            return X
        if sparse.issparse(train):
            return squared_distances_sparse(X.astype(np.float64), train.astype(np.float64))
        return cdist(X.toarray() if sparse.issparse(X) else X, train, self.metric)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self._precomputed
        tags.input_tags.pairwise = self._precomputed
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _same_table(X, Y):
    if X is Y:
        return True
    if X.shape != Y.shape or sparse.issparse(X) != sparse.issparse(Y):
        return False
    return (X != Y).nnz == 0 if sparse.issparse(X) else np.array_equal(X, Y)


def stack_features(linkages, level="level", n_components=None):
    """Layers of dendrogram features: each builds its dendrogram on the features of the layer before.

    Parameters
    ----------
    linkages : sequence of str
        One linkage a layer, from the data up.
    level : str or callable
        Level function of every layer.
    n_components : int or float, optional
        Directions that each layer keeps, or the share of the spectrum that they hold.

    Returns
    -------
    Pipeline
        Any other transformer may be put between its steps (Section 3.2).

    Examples
    --------
    >>> from dendrolab import stack_features
    >>> stack_features(["ward", "single"]).fit_transform([[0.0], [1.0], [5.0], [5.5]]).shape
    (4, 3)
    """
    linkages = linkages if isinstance(linkages, str) or linkages is None else list(linkages)
    if isinstance(linkages, str) or not linkages:
        raise ValueError(f"linkages is {linkages!r}: give a list with one linkage a layer.")
    layers = [DendrogramFeatures(linkage, level, n_components) for linkage in linkages]
    return Pipeline([(f"{layer.linkage}_{k}", layer) for k, layer in enumerate(layers, start=1)])
