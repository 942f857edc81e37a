# [about]

import math


def _sign(x):
    return 1.0 if x > 0 else -1.0 if x < 0 else x


def _sqrt(x):
    return math.sqrt(x) if x >= 0 else math.nan


def _asin(x):
    return math.asin(x) if -1 <= x <= 1 else math.nan


def _acos(x):
    return math.acos(x) if -1 <= x <= 1 else math.nan


def _log(x):
    return math.log(x) if x > 0 else math.nan


def _over(x, y):
    if y:
        return x / y
    return math.nan if x == 0 or x != x else math.copysign(math.inf, x) * math.copysign(1.0, y)


def _min(x, y):
    return y if y < x or y != y else x


def _max(x, y):
    return y if y > x or y != y else x


def _shaped(x, shape):
    """Return a flat list as nested lists, or a number where the shape is ()."""
    if not shape:
        return x[0]
    for n in reversed(shape[1:]):
        x = [x[k : k + n] for k in range(0, len(x), n)]
    return x


def _vector(x, n):
    x = [float(v) for v in _flat(x)]
    if len(x) != n:
        raise ValueError(f"a vector of {n} numbers is needed, not of {len(x)}")
    return x


def _flat(x):
    def inner(row):
        return hasattr(row, "__iter__") and not isinstance(row, str)

    return [v for row in x for v in (_flat(row) if inner(row) else (row,))]


# [tables]

# [functions]
