"""Long programs are cut into functions; the cut does not show."""

import time
from dataclasses import replace

import numpy as np
import pytest

from dalembert.expr import call, cos, program, sin, trace
from dalembert.expr.block import Block, Leaf, Line, Row, gathered
from dalembert.runtime import compile_program, layout, library, llvm, lower, module, schedule
from dalembert.runtime.card import card
from dalembert.runtime.kernel import Kernel
from dalembert.runtime.native import Native
from runtime.programs import pendulum_chain


def cut(made, chunk):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schedule, "WHOLE", 0)
        patch.setattr(schedule, "CHUNK", chunk)
        patch.setattr(schedule, "LONGER", chunk)
        patch.setattr(schedule, "ALONE", 3 * chunk)
        patch.setattr(schedule, "DECODED", 0)
        patch.setattr(layout, "CALLED", 4)  # more of them are called from a table
        code = module.compile_object(made)
    own = card(made, code.scratch_one, code.scratch_batch, code.tile)
    return Kernel(own, Native(own, llvm.Engine(code.code, library.library())))


@pytest.mark.parametrize("chunk", [1, 7, 40])
@pytest.mark.parametrize("parameters", [False, True])
@pytest.mark.parametrize("single", [0, module.SINGLE])
def test_a_cut_program_gives_what_the_whole_gives(chunk, parameters, single, monkeypatch):
    monkeypatch.setattr(module, "SINGLE", single)
    made = pendulum_chain(6, parameters)
    given = {"L": np.linspace(0.5, 1, 37), "m": 1.1} if parameters else None
    rng = np.random.default_rng(1)
    q, qd = rng.normal(size=(2, 37, 6))
    whole, pieces = compile_program(made), cut(made, chunk)
    a, b = whole(q, qd, parameters=given), pieces(q, qd, parameters=given)
    assert abs(a - b).max() <= 1e-14 * abs(a).max()
    for n in (1, 3, 15, 17):
        some = {"L": given["L"][:n], "m": 1.1} if parameters else None
        assert pieces(q[:n], qd[:n], parameters=some).tobytes() == b[:n].tobytes()
    single = {"L": 0.5, "m": 1.1} if parameters else None
    assert pieces(q[0], qd[0], parameters=single).tobytes() == b[0].tobytes()


def test_the_loop_over_tiles_does_not_grow_with_the_chunks(monkeypatch):
    monkeypatch.setattr(schedule, "WHOLE", 0)
    monkeypatch.setattr(schedule, "CHUNK", 20)
    monkeypatch.setattr(schedule, "LONGER", 20)
    monkeypatch.setattr(layout, "CALLED", 4)
    loops = [module.module(pendulum_chain(n))[0].count(" = phi i64 ") for n in (40, 60)]
    assert loops[0] == loops[1]


def _alone(text):
    """Return the functions of one state, and all else."""
    parts = text.split("define ")
    own = [part for part in parts if part.startswith("internal void @step.1.")]
    return "".join(own), "".join(part for part in parts if part not in own)


@pytest.mark.parametrize(
    ("cpu", "most", "jumps"),
    [
        ("znver3", 10**6, True),
        ("znver3", 0, False),
        ("znver5", 0, True),  # which gains from jumps in code of any length
        ("other", 10**6, False),
    ],
)
def test_one_state_jumps_where_a_processor_keeps_it_decoded(cpu, most, jumps, monkeypatch):
    made, here = pendulum_chain(20), llvm.host()
    usual = compile_program(made)
    there = replace(here, cpu=cpu)
    monkeypatch.setattr(lower, "LONG_ALONE", 100)
    for part in (schedule, lower, module):
        monkeypatch.setattr(part, "DECODED", most)
    with monkeypatch.context() as patch:
        patch.setattr(llvm, "host", lambda: there)
        text = module.module(made)[0]
    one, others = _alone(text)
    assert (one.count(lower.JUMP) > 5) == jumps and lower.JUMP not in others
    assert (" #2 " in one) == (most == 0)  # longer code has shorter instructions
    if here.triple.startswith("x86_64"):
        monkeypatch.setattr(module, "kept_decoded", lambda block: jumps)
        q, qd = np.random.default_rng(4).normal(size=(2, 20))
        assert compile_program(made)(q, qd).tobytes() == usual(q, qd).tobytes()


@pytest.mark.parametrize("n", [1, 3, 4, 5, 6, 7, 8, 9, 13])
def test_angles_of_one_state_are_kept_as_vectors(n):
    def run(q):
        turned = [f(x) for x in q for f in (sin, cos)]
        return [*turned, *(sin(x + 1) for x in turned)]  # a second row

    made = program(trace(run, [("q", n)]))
    one = _alone(module.module(made)[0])[0]
    side = llvm.side_by_side()
    assert one.count(f"store <{side} x double>") == sum(
        -(-m // side) for m in (n, 2 * n) if m >= side
    )
    q = np.random.default_rng(n).uniform(-9, 9, (3, n))
    k = compile_program(made)
    np.testing.assert_array_equal([k(x) for x in q], k(q))
    np.testing.assert_allclose(k(q)[:, : 2 * n : 2], np.sin(q), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("lanes", [1, 4])
def test_code_whose_order_is_kept_gives_the_same(lanes, monkeypatch):
    made = pendulum_chain(12)
    assert not lower.kept_in_order(made.step, lanes)  # short
    free = compile_program(made)
    monkeypatch.setattr(lower, "LONG", 10)
    monkeypatch.setattr(lower, "LONG_ALONE", 10)
    monkeypatch.setattr(lower, "USED", 0 if lanes > 1 else 9)
    assert lower.kept_in_order(made.step, lanes)
    assert lower.BARRIER in module.module(made)[0]
    kept = compile_program(made)
    q, qd = np.random.default_rng(3).normal(size=(2, 9, 12))
    assert kept(q, qd).tobytes() == free(q, qd).tobytes()
    assert kept(q[2], qd[2]).tobytes() == kept(q, qd)[2].tobytes()


def test_sines_of_sines_come_in_levels():
    step = trace(lambda x: [sin(x[0]) + x[1], cos(x[1] * x[0])], [("x", 2)])

    def six_times(x):
        for _ in range(6):
            x = call(step, x)
        return x

    deep = trace(six_times, [("x", 2)])
    made = program(deep)
    items = [i for c in schedule.schedule(gathered(made.step)).chunks for i in c]
    assert sum(isinstance(i, Row) for i in items) == 6
    x = np.random.default_rng(0).normal(size=(21, 2))
    wanted = np.column_stack(deep(x.T))
    for kernel in (compile_program(made), cut(made, 3)):
        np.testing.assert_allclose(kernel(x), wanted, rtol=1e-13)
        np.testing.assert_allclose(kernel(x[4]), wanted[4], rtol=1e-13)


def test_slots_are_used_again(monkeypatch):
    made = pendulum_chain(200)
    monkeypatch.setattr(schedule, "WHOLE", 0)
    monkeypatch.setattr(schedule, "CHUNK", 50)
    monkeypatch.setattr(schedule, "LONGER", 50)
    plan = schedule.schedule(gathered(made.step))
    assert plan.slots < len(made.step.lines) / 3
    live = {}
    for items in plan.chunks:
        assert len(items) <= 50 * (1 + schedule.PLAY) + 1  # a row stays with what is before it
        for item in items:
            if not isinstance(item, Row) and item in plan.slot:
                live.setdefault(plan.slot[item], []).append(item)
    assert max(map(len, live.values())) > 1


def test_a_cut_is_where_few_values_live(monkeypatch):
    """20 products, the 19 sums of them, and 30 products of the last sum: one value at the waist."""
    leaves = tuple(Leaf("input", "x", k) for k in range(30))
    lines = [Line("mul", (k, k + 1)) for k in range(20)]
    lines += [Line("add", (30 + k if k else 49, 30 + k + 19 if k else 48)) for k in range(19)]
    total = 30 + len(lines) - 1
    lines += [Line("mul", (total, k)) for k in range(30)]
    made = Block(leaves, tuple(lines), tuple(range(total + 1, total + 31)))
    monkeypatch.setattr(schedule, "WHOLE", 0)
    for chunk in (33, 36, 39):
        monkeypatch.setattr(schedule, "CHUNK", chunk)
        plan = schedule.schedule(made)
        assert [len(items) for items in plan.chunks] == [39, 30]
        assert plan.slots == 1


@pytest.mark.parametrize("whole", [0, 2000])
def test_two_lanes_give_what_four_give(monkeypatch, whole):
    narrow = replace(llvm.host(), lanes=2, fused=False)
    for user in (module, library):
        monkeypatch.setattr(user, "host", lambda: narrow)
    made = pendulum_chain(5, parameters=True)
    engine, addresses = library.load(llvm.generate(library.text(2, False), 1))
    monkeypatch.setattr(schedule, "WHOLE", whole)
    monkeypatch.setattr(schedule, "CHUNK", 30)
    code = module.compile_object(made)
    own = card(made, code.scratch_one, code.scratch_batch, code.tile)
    kernel = Kernel(own, Native(own, llvm.Engine(code.code, addresses)))
    monkeypatch.undo()
    rng = np.random.default_rng(2)
    q, qd = rng.normal(size=(2, 23, 5))
    given = {"L": rng.uniform(1, 2, 23), "m": 1.1}
    wanted = compile_program(made)(q, qd, parameters=given)
    np.testing.assert_allclose(kernel(q, qd, parameters=given), wanted, rtol=1e-12)
    single = {"L": given["L"][3], "m": 1.1}
    np.testing.assert_allclose(kernel(q[3], qd[3], parameters=single), wanted[3], rtol=1e-12)
    del engine


@pytest.mark.parametrize("lanes", [2, 4])
@pytest.mark.parametrize("direct", [0, 1000])
def test_results_of_any_width_reach_their_rows(monkeypatch, lanes, direct):
    """Rows of 1 to 9 columns, a sparse matrix and a constant one, gathered or not."""
    here = replace(llvm.host(), lanes=lanes, fused=llvm.host().fused and lanes == 4)
    for user in (module, library):
        monkeypatch.setattr(user, "host", lambda: here)
    monkeypatch.setattr(module, "DIRECT", direct)

    def run(x):
        rows = [[x[k % 3] * (k + 1) + n for k in range(n)] for n in range(1, 10)]
        sparse = [x[1] if k % 37 == 5 else 2.5 if k == 70 else 0 for k in range(123)]
        return [*rows, sparse, [7.0, 0, -1.0, 3.5, 0]]

    ports = [(f"y{n}", (n,)) for n in range(1, 10)] + [("sparse", (3, 41)), ("fixed", (5,))]
    made = trace(run, [("x", 3)], outputs=ports)
    code = module.compile_object(program(made))
    own = card(program(made), code.scratch_one, code.scratch_batch, code.tile)
    engine, addresses = library.load(llvm.generate(library.text(lanes, here.fused), 1))
    kernel = Kernel(own, Native(own, llvm.Engine(code.code, addresses)))
    monkeypatch.undo()
    for count in (1, 2, 3, 4, 5, 16, 17, 39):
        x = np.random.default_rng(count).normal(size=(count, 3))
        found = kernel(x)
        wanted = np.concatenate([np.broadcast_to(y, (1, count)) for y in made(x.T)]).T
        flat = np.concatenate([y.reshape(count, -1) for y in found], axis=1)
        np.testing.assert_allclose(flat, wanted, rtol=1e-15, atol=1e-15)
        one = np.concatenate([np.ravel(y) for y in kernel(x[-1])])
        np.testing.assert_allclose(one, wanted[-1], rtol=1e-15, atol=1e-15)
    del engine


@pytest.mark.slow
def test_compile_time_grows_with_the_size_of_the_program():
    times = []
    for n in (100, 200, 400, 800):
        made = pendulum_chain(n)
        start = time.process_time()
        module.compile_object(made)
        times.append(time.process_time() - start)
    assert times[-1] / times[0] <= 2.4**3


def test_text_is_the_same_every_time():
    assert module.module(pendulum_chain(9)) == module.module(pendulum_chain(9))


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 7, 8, 31, 32, 33, 34, 35, 36, 37, 50])
def test_ports_of_any_size_are_moved_whole(size):
    made = trace(lambda x: [v * 2 for v in x], [("x", size)], name=f"double{size}")
    kernel = compile_program(program(made))
    for n in (1, 3, 4, 18):
        x = np.arange(n * size, dtype=float).reshape(n, size)
        guarded = np.full((n + 2, size), -1.0)
        kernel(x, out=guarded[1:-1])
        np.testing.assert_array_equal(guarded[1:-1], 2 * x)
        assert (guarded[[0, -1]] == -1).all()


def test_a_function_is_given_only_the_outputs_that_it_writes(monkeypatch):
    """LLVM would work out the others for nothing; nothing is reached in two steps either."""
    monkeypatch.setattr(schedule, "WHOLE", 0)
    monkeypatch.setattr(schedule, "CHUNK", 20)
    monkeypatch.setattr(schedule, "LONGER", 20)
    text = module.module(pendulum_chain(6))[0]
    calls = [line for line in text.splitlines() if "call void @step." in line]
    assert any("ptr null" in line for line in calls) and any("ptr null" not in c for c in calls)
    assert "%s = getelementptr" not in text


def test_what_stands_before_does_not_move_the_code_of_one_state_in_its_page(monkeypatch):
    if not llvm.host().cpu.startswith("znver"):
        pytest.skip("placed on processors on which it matters, as far as is known")
    made = pendulum_chain(3)
    straight = compile_program(made).code.one_address
    monkeypatch.setattr(module, "DIRECT", 0)  # results are gathered first: other code before it
    assert (straight - compile_program(made).code.one_address) % 4096 == 0


@pytest.mark.parametrize("n", [9, 10, 11, 13, 16, 17])
def test_one_state_clears_what_is_zero_and_nothing_else(n):
    def run(x):
        return [[x[0] + i if i == j else 0 for i in range(n)] for j in range(n)]

    made = program(trace(run, [("x", 1)], outputs=[("a", (n, n))]))
    assert "@blank" in module.module(made)[0]
    k = compile_program(made)
    for first in range(9):
        memory = np.full(n * n + 24, 7.0)
        out = memory[first : first + n * n].reshape(n, n)
        k(np.array([2.0]), out=out)
        np.testing.assert_array_equal(out, np.diag(2.0 + np.arange(n)))
        assert (memory[:first] == 7).all() and (memory[first + n * n :] == 7).all()
