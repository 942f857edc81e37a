"""M, C and g as matrices: the numbers of the kernels, Ṁ - 2C skew, text that reads back."""

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main
from dalembert.expr.style import TEXT, write
from printed import read_sum

ROBOTS = {
    "planar2r": lambda: da.robots.planar2r().with_values(
        dict.fromkeys(("l1", "l2", "m1", "j1", "m2", "j2"), 0.5) | {"G": -9.81}
    ),
    "puma560": da.robots.puma560,
    "sliding": lambda: da.load(
        "RZ(),TXK(0.3),RX(),TZ(),TYK(0.2),RY(); body 1: M = 2, D = (0.1, 0, 0);"
        "body 3: M = 3, D = (0, 0.2, 0.1), I = (1, 2, 2.5); body 4: M = 1, D = (0.1, 0.1, 0);"
    ),
}


def christoffel(m, q, qd, h=1e-5):
    """Return C by differences of the mass matrix."""
    n = len(q)
    slope = [
        (da.mass_matrix(m, q + h * e) - da.mass_matrix(m, q - h * e)) / (2 * h) for e in np.eye(n)
    ]
    return np.array([
        [sum((slope[k][i, j] + slope[j][i, k] - slope[i][j, k]) / 2 * qd[k] for k in range(n))
         for j in range(n)] for i in range(n)
    ])  # fmt: skip


@pytest.mark.parametrize("name", ROBOTS)
def test_the_matrices_are_those_of_the_kernels(name):
    m = ROBOTS[name]()
    found = da.equations(m).matrices()
    rng = np.random.default_rng(1)
    for _ in range(5):
        q, qd = rng.uniform(-1, 1, (2, m.nv))
        M, C, g = found.evaluate(None, q, qd)
        scale = np.abs(da.mass_matrix(m, q)).max()
        assert np.allclose(M, da.mass_matrix(m, q), atol=1e-12 * scale)
        assert np.allclose(C @ qd, da.coriolis(m, q, qd), atol=1e-11 * scale)
        assert np.allclose(g, da.gravity(m, q), atol=1e-11 * max(1, np.abs(g).max()))
        assert np.allclose(C, christoffel(m, q, qd), atol=1e-7 * scale)


def test_what_is_printed_is_what_is_computed():
    m = da.robots.report6r()
    eq = da.equations(m)
    found = eq.matrices()
    rng = np.random.default_rng(2)
    q, qd = rng.uniform(-1, 1, (2, 6))
    numbers = {name: rng.uniform(0.5, 1.5) for name in m.open_parameters}
    known = dict(zip(eq.ring.symbols.names, eq.values(numbers, q), strict=True))
    known |= {f"qd{k}": x for k, x in enumerate(qd, 1)}
    for matrix, value in zip(found, found.evaluate(numbers, q, qd), strict=True):
        for i, row in enumerate(matrix.rows):
            for j, x in enumerate(row):
                terms = read_sum(write(x, TEXT)) if x else {}
                total = sum(float(c) * np.prod([known[n] for n in names])
                            for names, c in terms.items())  # fmt: skip
                assert total == pytest.approx(np.reshape(value, matrix.shape)[i, j], abs=1e-11)


def test_long_entries_have_names():
    text = da.equations(da.robots.report6r()).matrices().text()
    assert "M = [ M11  M12  M13  M14  M15  0 ]\n    [ M12  M22" in text
    assert "\nC(1,2) = " in text and "\nC12 = " not in text
    assert all(len(line) <= 100 for line in text.splitlines())


def test_in_latex_a_small_matrix_is_written_out():
    found = da.equations(da.robots.planar2r()).matrices()
    assert r"M &= \begin{bmatrix} 2\,V_{X2}\,l_{1}\,c_{2}" in found._repr_latex_()
    assert found.M[1, 2] == "VX2*l1*C2+JZ2" and found.M.shape == (2, 2)
    assert r"\[ M = \begin{bmatrix}" in found.latex()


def test_neglected_terms_are_not_in_the_matrices():
    found = da.equations(da.robots.planar2r()).neglect("velocity").matrices()
    assert found.C[1, 2] == "0" and found.M[2, 2] == "JZ2"


@pytest.mark.parametrize("form", ["condensed", "latex", "markdown", "json"])
def test_the_command_prints_matrices(form, capsys):
    phrase = "RZ(),TXK(L1),RZ(),TXK(L2); gravity = (0, G, 0);"
    assert main(["derive", phrase, "--only", "matrices", "--form", form]) == 0
    assert "VX2" in capsys.readouterr().out or form in ("latex", "markdown")


def test_matrices_say_what_is_left_out():
    found = da.equations(da.robots.planar2r()).neglect("coriolis").drop("A12:1").matrices()
    gone = ["neglected: coriolis", "dropped: A12: 1 of 2 terms"]
    assert found.text().splitlines()[1:3] == [f"# {x}" for x in gone]
    assert found.json()["left_out"] == gone
    assert all(gone[0] in x for x in (found.latex(), found.markdown()))
