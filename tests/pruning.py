"""Arms to prune, and the largest error that random motions find."""

import numpy as np

import dalembert as da


def arm():
    """Return a spatial arm with a slide and a light hand."""
    return da.load(
        "RZ(),TZK(0.5),RY(),TX(0.2,0.6),TXK(0.1),RX();"
        "body 1: M=5, D=(0,0,0.2), I=(0.1,0.1,0.2); body 2: M=8, D=(0.1,0,0), I=(0.1,0.3,0.3);"
        "body 3: M=3, D=(0.2,0,0), I=(0.01,0.05,0.05);"
        "body 4: M=0.2, D=(0.02,0.01,0), I=(0.001,0.0012,0.0013,0.0001,0,0);"
    )


def robot(seed):
    """Return a random arm of numbers, joints of both kinds, some constant rotations."""
    rng = np.random.default_rng([171, seed])
    words, bodies = [], []
    for k in range(1, int(rng.integers(2, 5)) + 1):
        if rng.random() < 0.3:
            words.append(f"R{rng.choice(list('XYZ'))}K({rng.choice(['90deg', '0.4', '-1.1'])})")
        kind = rng.choice(list("RRRT"))
        words += [f"{kind}{rng.choice(list('XYZ'))}(-1,1)",
                  f"T{rng.choice(list('XYZ'))}K({rng.uniform(0.2, 1):.3f})"]  # fmt: skip
        d, i = rng.normal(size=3).round(3), rng.uniform(0.1, 1, 3).round(3)
        bodies.append(f"body {k}: M={rng.uniform(1, 5):.3f}, D=({d[0]},{d[1]},{d[2]}),"
                      f"I=({i[0]},{i[1]},{i[2]});")  # fmt: skip
    return da.load(",".join(words) + ";" + "".join(bodies))


def errors(eq, shorter, box, count, seed):
    """Return the largest error found, by joint, with corners of rates and accelerations."""
    rng = np.random.default_rng(seed)

    def draw(ranges, corners):
        low, high = np.array(ranges, float).T
        u = rng.random((count, eq.n))
        return low + (high - low) * (np.round(u) if corners else u)

    q, qd, qdd = draw(box.q, False), draw(box.qd, True), draw(box.qdd, True)
    full, short = (e.evaluate(box.values, q, qd, qdd) for e in (eq, shorter))
    return np.abs(full - short).max(axis=0)
