"""Where no code can be generated, NumPy answers in the same way."""

import numpy as np
import pytest

from dalembert.errors import UsageError
from dalembert.runtime import Form, compile_program, refused
from runtime.programs import pendulum_chain


@pytest.fixture
def no_jit(monkeypatch):
    monkeypatch.setenv("DALEMBERT_JIT", "off")
    monkeypatch.setattr(refused, "_warned", set())


def test_numpy_answers_with_one_warning(no_jit):
    with pytest.warns(RuntimeWarning, match="run by NumPy") as seen:
        compile_program(pendulum_chain(4))
        compile_program(pendulum_chain(4))
    assert len(seen) == 1


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("parameters", [False, True])
def test_numpy_gives_what_the_kernel_gives(monkeypatch, parameters):
    kernel = compile_program(pendulum_chain(4, parameters))
    monkeypatch.setenv("DALEMBERT_JIT", "off")
    plain = compile_program(lambda: pendulum_chain(4, parameters), key="k")
    rng = np.random.default_rng(5)
    q, qd = rng.normal(size=(2, 9, 4))
    given = {"L": rng.uniform(1, 2, 9), "m": 1.2} if parameters else None
    np.testing.assert_allclose(
        plain(q, qd, parameters=given), kernel(q, qd, parameters=given), rtol=1e-12
    )
    single = {"L": 1.0, "m": 1.2} if parameters else None
    wanted = kernel(q[0], qd[0], parameters=single)
    np.testing.assert_allclose(plain(q[0], qd[0], parameters=single), wanted, rtol=1e-12)
    np.testing.assert_allclose(plain(q[0], qd, parameters=single)[0], wanted, rtol=1e-12)
    with pytest.raises(UsageError):
        plain(q)
    assert plain.cost == kernel.cost and plain.inputs == kernel.inputs


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("each", [False, True], ids=["shared", "one for each tile"])
def test_numpy_gives_what_the_kernel_gives_in_tiles(monkeypatch, each):
    """Parameters are one set for all tiles, or a set for each."""
    kernel = compile_program(pendulum_chain(4, True))
    monkeypatch.setenv("DALEMBERT_JIT", "off")
    form = Form(layout="tiles")
    plain = compile_program(lambda: pendulum_chain(4, True), form=form, key="k")
    rows = np.random.default_rng(5).normal(size=(2, 48, 4))
    q, qd = (plain.to_tiles(x) for x in rows)
    lengths = np.linspace(1, 2, len(q)) if each else np.full(len(q), 1.4)
    found = plain(q, qd, parameters={"L": lengths if each else 1.4, "m": 1.2})
    given = {"L": np.repeat(lengths, 48 // len(q)), "m": 1.2}
    np.testing.assert_allclose(
        plain.from_tiles(found), kernel(*rows, parameters=given), rtol=1e-12, atol=1e-12
    )


def test_a_refusal_of_the_system_is_a_refusal(monkeypatch):
    import llvmlite.binding as binding

    def refuse():
        raise OSError("no executable memory")

    monkeypatch.setattr(binding, "check_jit_execution", refuse)
    refused._refused_by_system.cache_clear()
    assert "no executable memory" in refused.refusal()
    refused._refused_by_system.cache_clear()
