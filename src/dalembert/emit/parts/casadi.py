# [about]

import casadi as ca


def _vector(x):
    """Return the entries of an input, matrices row by row."""
    return ca.vertsplit(ca.reshape(x.T, -1, 1))


def _shaped(x, rows, columns):
    return ca.reshape(ca.vertcat(*x), columns, rows).T


# [tables]

# [functions]
