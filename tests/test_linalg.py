"""Vectors, matrices and solvers over any scalar, against NumPy."""

import numpy as np
import pytest

from dalembert.algebra import Mat3
from dalembert.expr import Graph
from dalembert.linalg import (
    Blocks,
    Definite,
    Matrix,
    Planned,
    Vector,
    each_column,
    general,
    inverse,
    leaves_first,
    projected,
    spd,
)

RNG = np.random.default_rng(8)


def random(*shape):
    return RNG.normal(size=shape)


def matrix(A):
    return Matrix(A.tolist(), A.shape[1])


def test_products_sums_and_transposes_are_those_of_numpy():
    A, B, C, x = random(3, 4), random(4, 2), random(3, 4), random(4)
    a, b, c = matrix(A), matrix(B), matrix(C)
    assert np.allclose(a @ b, A @ B)
    assert np.allclose(a @ x.tolist(), A @ x)
    assert np.allclose((a + c - a * 2).T, (C - A).T)
    assert np.allclose(-a, -A)
    assert np.allclose(a.pick([2, 0], [1, 3]), A[[2, 0]][:, [1, 3]])
    assert np.allclose(Vector(x) @ x.tolist(), x @ x)


def test_matrices_without_rows_keep_their_width():
    none = Matrix([], 3)
    assert none.width == 3 and len(none.T) == 3
    assert list(none.T @ []) == [0, 0, 0]
    assert len(none @ [1, 2, 3]) == 0
    assert len(none @ none.T) == 0


def test_blocks_stand_side_by_side():
    a, b = Mat3.identity(), Mat3.identity() * 2
    whole = Matrix.block([[a, b], [b, a]])
    assert np.allclose(whole, np.block([[np.eye(3), 2 * np.eye(3)], [2 * np.eye(3), np.eye(3)]]))
    assert np.allclose(Matrix.diag([1, 2]), np.diag([1, 2]))


def test_structural_zeros_are_left_out_of_products():
    graph = Graph()
    x, y = graph.input("x", 0), graph.input("x", 1)
    assert (Matrix([[0, 1]]) @ [x, y])[0] is y or (Matrix([[0, 1]]) @ [x, y])[0].id == y.id
    # a zero beside what is not a number stays out of the sum
    assert (Matrix([[0, 1]]) @ [float("nan"), 2.0])[0] == 2.0


def test_a_congruence_is_symmetric_and_that_of_numpy():
    M, G = random(4, 4), random(4, 2)
    M = M + M.T
    found = np.array(projected(matrix(M), matrix(G)))
    assert np.allclose(found, G.T @ M @ G)
    assert found[0, 1] == found[1, 0]


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_every_solver_solves(n):
    A, b = random(n, n) + 3 * np.eye(n), random(n)
    S = A @ A.T + np.eye(n)
    rows, want, definite = A.tolist(), np.linalg.solve(A, b), np.linalg.solve(S, b)
    assert np.allclose(general(rows, b.tolist()), want)
    assert np.allclose(Planned(rows).solve(b.tolist()), want)
    assert np.allclose(Planned(rows).solve_transposed(b.tolist()), np.linalg.solve(A.T, b))
    assert np.allclose(Blocks(rows).solve(b.tolist()), want)
    for solver in (spd, leaves_first):
        assert np.allclose(solver(S.tolist(), b.tolist()), definite)
    assert np.allclose(Definite(S.tolist()).solve(b.tolist()), definite)
    assert np.allclose(each_column(general, rows, Matrix.unit(n)), np.linalg.inv(A))


@pytest.mark.parametrize("n", [2, 3])
def test_small_inverses_by_cofactors(n):
    A = random(n, n)
    assert np.allclose(inverse(A.tolist()), np.linalg.inv(A))
