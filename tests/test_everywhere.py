"""The same bytes under any hash seed, locale, home and network: what surrounds us has no say."""

import os
import shutil
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.usefixtures("made_well")  # code as users get it

# prints one digest of everything that is text: equations, code in six languages, files, kernels
ALL = textwrap.dedent(
    """
    import hashlib, sys, tempfile, warnings
    import numpy as np
    import dalembert as da
    from dalembert.export import files
    from dalembert.read import write
    warnings.simplefilter("ignore")
    h = hashlib.sha256()
    def add(x):
        h.update(x if isinstance(x, bytes) else str(x).encode())
    arm = da.robots.planar2r()
    real = arm.with_values(l1=0.5, l2=0.4, m1=2, j1=0.1, m2=1, j2=0.2)
    for form in ("report", "condensed"):
        add(da.equations(da.robots.report6r()).text(form=form))
    add(da.kane_form(da.robots.truck(1)).text())
    for m in (arm, real, da.robots.fourbar()):
        add(m.digest)
        for language in ("toml", "json"):
            add(write(m, language)[0])
    for language in ("c", "python", "fortran", "rust", "cpp", "octave"):
        for name, data in sorted(files(real, ["inverse_dynamics"], language).items()):
            add(name)
            add(data)
    k = da.compile(da.robots.ur5(), "inverse_dynamics")
    add(k(*np.linspace(-1, 1, 18).reshape(3, 6)).tobytes())
    add(da.simulate(real, [0.3, 0.2], t=0.2).q.tobytes())
    r = da.load("RZ(),TXK(0.5); body 1: M = 1.5, D = (0.25, 0, 0);")
    add(da.gravity(r, [0.1]).tobytes())
    print(h.hexdigest())
    """
)


def digest(before="", **settings):
    done = subprocess.run(
        [sys.executable, "-c", before + ALL], capture_output=True, text=True,
        env={**os.environ, **settings}, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-1000:]
    return done.stdout.strip()


@pytest.fixture(scope="module")
def usual():
    return digest(PYTHONHASHSEED="0")


SEEDS = [1, *(pytest.param(k, marks=pytest.mark.slow) for k in range(2, 20))]


@pytest.mark.parametrize("seed", SEEDS)
def test_any_hash_seed_gives_the_same_bytes(usual, seed):
    assert digest(PYTHONHASHSEED=str(seed)) == usual


def test_a_comma_locale_changes_nothing(usual, tmp_path):
    """The decimal point of C is a comma: numbers are still read and written with a point."""
    maker = shutil.which("localedef")
    made = [maker, "-i", "de_DE", "-f", "UTF-8", str(tmp_path / "de_DE.UTF-8")]
    if not maker or subprocess.run(made, capture_output=True).returncode > 1:  # 1 is a warning
        pytest.skip("no locale with a comma can be made here")
    before = textwrap.dedent(
        """
        import locale
        locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
        assert locale.localeconv()["decimal_point"] == ","
        """
    )
    assert digest(before, LOCPATH=str(tmp_path)) == usual


def test_a_home_that_cannot_be_written_changes_nothing(usual, tmp_path):
    (tmp_path / "home").write_text("a file, not a folder")
    unset = {k: "" for k in ("DALEMBERT_CACHE", "XDG_CACHE_HOME")}
    assert digest(HOME=str(tmp_path / "home"), **unset) == usual


def test_nothing_reaches_for_the_network(usual):
    before = textwrap.dedent(
        """
        import sys
        def hook(event, args):
            if event in ("socket.connect", "socket.getaddrinfo", "socket.bind"):
                raise RuntimeError(event)
        sys.addaudithook(hook)
        """
    )
    assert digest(before) == usual


def test_without_code_generation_the_texts_are_the_same(usual):
    assert digest("import os; os.environ['DALEMBERT_STUB'] = 'off'\n") == usual
