"""The linear algebra of plans beside what defines it: rank, free motions, rows, pivots."""

import numpy as np
import pytest

from dalembert.errors import SingularPose
from dalembert.plan.elimination import PIVOT, largest_rows, null_space, pivots, rank_of


def of_rank(rng, rows, columns, rank):
    return rng.normal(size=(rows, rank)) @ rng.normal(size=(rank, columns))


@pytest.mark.parametrize(("rows", "columns", "rank"), [(5, 7, 5), (6, 4, 4), (6, 6, 3), (4, 9, 1)])
def test_rank_and_free_motions_complete_each_other(rows, columns, rank):
    rng = np.random.default_rng(rows)
    for size in (1e-9, 1.0, 1e9):  # the unit does not matter
        J = size * of_rank(rng, rows, columns, rank)
        N = null_space(J)
        assert rank_of(J) == rank and N.shape == (columns, columns - rank)
        np.testing.assert_allclose(N.T @ N, np.eye(columns - rank), atol=1e-12)
        np.testing.assert_allclose(J @ N, 0, atol=1e-12 * np.abs(J).max())


def test_nothing_holds_nothing():
    assert rank_of(np.zeros((3, 4))) == 0 and null_space(np.zeros((3, 4))).shape == (4, 4)
    assert rank_of(np.zeros((0, 4))) == 0
    np.testing.assert_array_equal(null_space(np.zeros((0, 4))), np.eye(4))
    tiny = np.diag([1.0, 1e-7, 1e-9])  # a part of 1e-8 of the largest is the border
    assert rank_of(tiny) == 2 and null_space(tiny).shape == (3, 1)


def test_rows_are_taken_until_they_span_and_each_adds_to_those_before():
    rng = np.random.default_rng(0)
    N = rng.normal(size=(8, 3))
    N[1] = 2 * N[0]
    found = largest_rows(N, range(8))
    assert len(found) == 3 and np.linalg.matrix_rank(N[found]) == 3
    # those taken before count: a row that they span is left
    assert 1 not in largest_rows(N, [1, 4, 5], [0])
    assert largest_rows(N, [0, 1]) == [1]  # the longer of two that are parallel
    assert largest_rows(N, [0, 1], [2, 3, 4]) == [] == largest_rows(N, [])
    # the first of those that are nearly as good is taken, not one that is much smaller
    assert largest_rows(np.array([[0.8], [1.0]]), [0, 1]) == [0]
    assert largest_rows(np.array([[0.6], [1.0]]), [0, 1]) == [1]
    assert largest_rows(np.array([[1e-8], [0.0]]), [0, 1]) == []
    assert largest_rows(np.array([[1e-3], [0.0]]), [0, 1], least=0.01) == []


@pytest.mark.parametrize("seed", range(4))
def test_pivots_solve_the_columns_one_after_the_other(seed):
    """Each is not small beside the rest of its column, after those before it are eliminated."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(7, 4)) * (rng.random((7, 4)) < 0.6) + np.eye(7, 4)
    before = A.copy()
    rows, columns = pivots(A)
    assert np.array_equal(A, before)  # what is given is not changed
    assert len({*rows}) == 4 and sorted(columns) == [0, 1, 2, 3]
    left = [r for r in range(7)]
    for r, k in zip(rows, columns, strict=True):
        assert abs(A[r, k]) >= PIVOT * np.abs(A[left, k]).max() > 0
        left.remove(r)
        for i in left:
            A[i] -= A[r] * (A[i, k] / A[r, k])
    assert np.linalg.matrix_rank(before[list(rows)]) == 4


def test_sparse_pivots_come_first_and_the_largest_of_equals():
    # an arrow: eliminating its corner first would fill everything
    A = np.diag([3.0, 2.0, 2.0, 2.0])
    A[0], A[:, 0] = 1.0, 1.0
    rows, columns = pivots(A)
    assert rows[0] != 0 and columns[0] != 0 and rows[:2] == columns[:2]
    assert pivots(np.array([[0.5], [2.0], [1.0]])) == ((1,), (0,))
    # a sparse row whose entry is too small for its column is no pivot
    rows, _ = pivots(np.array([[0.05, 0.0], [1.0, 1.0], [1.0, 2.0]]))
    assert 0 not in rows


def test_columns_that_do_not_follow_are_singular():
    for A in (np.zeros((3, 1)), np.ones((3, 2)), np.array([[1.0, 0], [1.0, 1e-10]])):
        with pytest.raises(SingularPose, match="do not follow from the motors"):
            pivots(A)
    assert pivots(np.array([[1.0, 0], [1.0, 1e-8]])) == ((0, 1), (0, 1))
    assert pivots(np.zeros((3, 0))) == ((), ())
