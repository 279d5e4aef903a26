"""Leading eigenvectors by iteration, and of sums of projections."""

import numpy as np
import pytest
from scipy.linalg import eigh, subspace_angles

from dendrolab import eigenspace
from dendrolab.eigenspace import leading_eigenvectors, leading_of_projections


@pytest.fixture
def iterative(monkeypatch):
    """The route for many objects, also for few."""
    monkeypatch.setattr(eigenspace, "_DENSE_COLD_UP_TO", 0)
    monkeypatch.setattr(eigenspace, "_DENSE_WARM_UP_TO", 0)


def test_projections_are_summed_and_ties_broken_by_the_kernel():
    rng = np.random.default_rng(0)
    U, V = (np.linalg.qr(rng.normal(size=(20, c)))[0] for c in (8, 3))
    K = np.cov(rng.normal(size=(20, 40)))
    B = 0.6 * U @ U.T + 0.4 * V @ V.T
    values, vectors = np.linalg.eigh(B)
    tied = vectors[:, np.abs(values - 0.6) < 1e-9]
    assert tied.shape[1] == 5
    H = leading_of_projections([(0.6, U), (0.4, V)], 5, lambda E: K @ E)
    assert np.trace(H.T @ B @ H) == pytest.approx(values[-5:].sum())
    best = eigh(tied.T @ K @ tied)[1][:, -2:]
    assert subspace_angles(H, np.hstack([vectors[:, -3:], tied @ best])).max() < 1e-6
    untied = leading_of_projections([(0.6, U), (0.4, V)], 3, None)
    assert subspace_angles(untied, vectors[:, -3:]).max() < 1e-6
    assert leading_of_projections([(0.6, U), (0.4, U)], 12, None).shape == (20, 8)


@pytest.mark.parametrize("decay", [1.0, 0.9, 0.3])
def test_leading_eigenvectors_equal_the_dense_ones(iterative, decay):
    rng = np.random.default_rng(1)
    Q = np.linalg.qr(rng.normal(size=(150, 150)))[0]
    K = (Q * decay ** np.arange(150)) @ Q.T * (1 + (decay == 1) * rng.random())
    K = (K + K.T) / 2 + (decay == 1) * np.diag(np.arange(150) / 50)
    V = np.linalg.qr(rng.normal(size=(150, 4)))[0]
    space = leading_eigenvectors(K, 22)[1:]
    for B, found in [
        (K, leading_eigenvectors(K, 12)),
        (0.4 * K + 0.3 * V @ V.T, leading_eigenvectors(K, 12, 0.4, V, 0.3, space)),
    ]:
        values, U, KU = found
        exact = np.linalg.eigvalsh(B)[::-1]
        np.testing.assert_allclose(values[:12], exact[:12], atol=1e-9 * exact[0])
        np.testing.assert_allclose(KU, K @ U, atol=1e-9)
        np.testing.assert_allclose(U.T @ U, np.eye(U.shape[1]), atol=1e-12)
