"""Golden vectors, of the builder and of the external functions. Exit 0 when all of them hold.

Give the shared library of model.c and model_casadi.c as an argument to check it too.
"""

import sys

import casadi as ca
import model_casadi as built


def flat(x):
    return [float(v) for row in ca.DM(x).full() for v in row]


def differs(name, x, golden, size, tolerance):
    """Print how far results are from golden ones, in parts of `size`; return whether too far."""
    errors = [abs(a - b) / size for a, b in zip(flat(x), golden)]
    bad = not all(error <= tolerance for error in errors) or len(flat(x)) != len(golden)
    verdict = "MISS" if bad else "ok"
    print(f"{name} worst={max(errors, default=0.0):.3e} tol={tolerance:.3e} {verdict}")
    return bad


def as_tuple(x):
    return x if isinstance(x, tuple) else (x,)


bad = False
# [golden]
sys.exit(bad)
