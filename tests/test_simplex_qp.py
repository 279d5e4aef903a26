"""The quadratic on the simplex: closed forms, other solvers, KKT conditions, refusals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from dendrolab.simplex_qp import minimize_on_simplex


def random_problem(seed, convex=True):
    """Q and b of 2 to 12 weights; every third is degenerate: low rank, duplicates or no linear part."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 13))
    A = rng.normal(size=(rng.integers(1, n + 1) if seed % 3 == 0 else n, n))
    if seed % 6 == 1:
        A[:, -1] = A[:, 0]
    Q = A.T @ A if convex else A[:1].T @ A[:1] - np.diag(rng.uniform(0, 2, n))
    b = np.zeros(n) if seed % 5 == 0 else rng.normal(size=n)
    return Q, b


def by_slsqp(Q, b):
    n = len(b)
    return minimize(
        lambda x: b @ x + x @ Q @ x,
        np.full(n, 1 / n),
        jac=lambda x: b + 2 * Q @ x,
        bounds=[(0, 1)] * n,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    ).fun


def kkt_gap(Q, b, x):
    gradient = b + 2 * Q @ x
    return gradient[x > 0].max() - gradient.min()


def assert_on_simplex(x):
    assert x.min() >= 0
    assert x.sum() == pytest.approx(1, abs=1e-12)


def test_inverse_weights_for_a_diagonal():
    minimum = minimize_on_simplex(np.diag([1.0, 2.0, 4.0]), np.zeros(3))
    np.testing.assert_allclose(minimum.x, np.array([4, 2, 1]) / 7, atol=1e-8)
    assert minimum.fun == pytest.approx(4 / 7)
    assert minimum.converged


def test_a_linear_function_has_its_minimum_in_a_corner():
    minimum = minimize_on_simplex(np.zeros((3, 3)), [1.0, -1.0, 0.0], x0=[1, 1, 1])
    np.testing.assert_array_equal(minimum.x, [0, 1, 0])
    assert minimum.fun == -1
    assert minimum.kkt_gap == 0


def test_one_weight_is_1():
    minimum = minimize_on_simplex([[3.0]], [2.0])
    assert minimum.x == [1]
    assert minimum.fun == 5
    assert minimum.n_iter == 0


@pytest.mark.parametrize("seed", range(200))
def test_same_minimum_as_slsqp_on_convex_problems(seed):
    Q, b = random_problem(seed)
    minimum = minimize_on_simplex(Q, b)
    assert_on_simplex(minimum.x)
    assert kkt_gap(Q, b, minimum.x) <= 1e-9
    assert minimum.fun == pytest.approx(b @ minimum.x + minimum.x @ Q @ minimum.x, abs=1e-12)
    assert minimum.fun <= by_slsqp(Q, b) + 1e-8


@pytest.mark.parametrize("solver", ["CLARABEL", "OSQP"])
def test_same_minimum_as_solvers_through_cvxpy(solver):
    cvxpy = pytest.importorskip("cvxpy", reason="cvxpy comes with the extra `relax`")
    options = {
        "CLARABEL": {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12},
        "OSQP": {"eps_abs": 1e-11, "eps_rel": 1e-11, "max_iter": 200_000},
    }[solver]
    for seed in range(30):
        Q, b = random_problem(seed)
        x = cvxpy.Variable(len(b))
        cost = b @ x + cvxpy.quad_form(x, cvxpy.psd_wrap(Q))
        cvxpy.Problem(cvxpy.Minimize(cost), [x >= 0, cvxpy.sum(x) == 1]).solve(solver=solver, **options)
        # Peers leave the simplex by rounding.
        peer = np.maximum(x.value, 0) / np.maximum(x.value, 0).sum()
        assert abs(minimize_on_simplex(Q, b).fun - (b @ peer + peer @ Q @ peer)) <= 1e-8


@given(st.integers(0, 10_000))
def test_a_kkt_point_that_no_pair_improves_also_without_convexity(seed):
    Q, b = random_problem(seed, convex=False)
    minimum = minimize_on_simplex(Q, b)
    assert_on_simplex(minimum.x)
    assert kkt_gap(Q, b, minimum.x) <= 1e-9


@pytest.mark.parametrize("unit", [1e-20, 1e-6, 1e6, 1e20])
def test_the_unit_does_not_matter(unit):
    Q, b = random_problem(4)
    minimum = minimize_on_simplex(unit * Q, unit * b)
    np.testing.assert_allclose(minimum.x, minimize_on_simplex(Q, b).x, atol=1e-6)
    assert minimum.converged


def test_columns_on_demand_give_the_same_bits():
    Q, b = random_problem(8)
    dense = minimize_on_simplex(Q, b)
    lazy = minimize_on_simplex(lambda i: Q[i], b, diagonal=np.diagonal(Q))
    np.testing.assert_array_equal(lazy.x, dense.x)
    assert lazy.n_iter == dense.n_iter


def test_a_start_at_the_minimum_needs_no_move():
    Q, b = random_problem(7)
    first = minimize_on_simplex(Q, b)
    assert minimize_on_simplex(Q, b, first.x, tol=1e-8).n_iter == 0


def test_the_input_is_left_alone():
    Q, b = random_problem(7)
    x0 = np.ones(len(b))
    copies = Q.copy(), b.copy(), x0.copy()
    minimize_on_simplex(Q, b, x0)
    for array, copy in zip((Q, b, x0), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_too_few_moves_are_said():
    Q, b = np.diag(np.arange(1.0, 30)), np.zeros(29)
    with pytest.warns(ConvergenceWarning, match="KKT gap is"):
        minimum = minimize_on_simplex(Q, b, max_iter=3)
    assert minimum.n_iter == 3
    assert not minimum.converged


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Q": np.ones((2, 3))}, "Q has shape"),
        ({"Q": [[1, 2], [0, 1]]}, "not symmetric"),
        ({"Q": [[np.nan, 0], [0, 1]]}, "Q contains NaN"),
        ({"b": [[1.0, 2.0]]}, "b has shape"),
        ({"b": [1.0, np.inf]}, "b contains inf"),
        ({"b": []}, "b has shape"),
        ({"x0": [1.0, -1.0]}, "x0 has"),
        ({"x0": [0.0, 0.0]}, "x0 has"),
        ({"x0": [1.0]}, "x0 has"),
        ({"tol": 0}, "tol is 0"),
        ({"Q": lambda i: np.eye(2)[i]}, "diagonal"),
        ({"Q": lambda i: np.eye(2)[i], "diagonal": [1.0]}, "diagonal has shape"),
    ],
)
def test_refusals(change, message):
    with pytest.raises(ValueError, match=message):
        minimize_on_simplex(**{"Q": np.eye(2), "b": np.zeros(2), **change})
