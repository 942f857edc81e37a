"""Golden vectors. Exit 0 when all of them hold."""

import sys

# [module]


def flat(x):
    x = x.tolist() if hasattr(x, "tolist") else x
    return [v for row in x for v in flat(row)] if isinstance(x, (list, tuple)) else [float(x)]


def differs(name, x, golden, size, tolerance):
    """Print how far results are from golden ones, in parts of `size`; return whether too far."""
    errors = [abs(a - b) / size for a, b in zip(flat(x), golden)]
    bad = not all(error <= tolerance for error in errors) or len(flat(x)) != len(golden)
    verdict = "MISS" if bad else "ok"
    print(f"{name} worst={max(errors, default=0.0):.3e} tol={tolerance:.3e} {verdict}")
    return bad


bad = False
# [prepare]
# [golden]
sys.exit(bad)
