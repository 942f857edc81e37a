"""The studio in a real browser: three people at work, payloads that stay text, a job cancelled."""

import json
import socket

import pytest

import dalembert as da
from dalembert.read import write as written
from payloads import PAYLOADS
from view.browser import Watched, chromium, need_bundle, wait

pytest.importorskip("uvicorn")
URDF = """<robot name="pair"><link name="base"/><link name="a"><inertial><origin xyz="0.2 0 0"/>
<mass value="2"/><inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
</link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="5" velocity="3"/></joint></robot>"""


@pytest.fixture(scope="module")
def studio():
    need_bundle()
    from dalembert.studio import Studio

    running = Studio(da.robots.REPORT).start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture
def page(browser, studio):
    watched = Watched(browser, (1400, 850))
    watched.page.goto(studio.url)
    wait(watched.page, "!!window.studio && studio.answered > 0")
    yield watched.page
    asked = [u for u in watched.requests if not u.startswith(studio.url.partition("?")[0])]
    assert [u for u in asked if not u.startswith(("data:", "blob:"))] == []
    assert watched.complaints == []
    watched.page.close()


def write(page, text):
    """Replace the description, and wait for its equations."""
    before = page.evaluate("studio.answered")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)
    wait(page, f"studio.answered > {before}")


def test_a_student_types_a_phrase_and_sees_equations(page):
    write(page, "RZ(A1,B1),TXK(L1),RZ(A2,B2),TXK(L2); gravity = (0, G, 0);")
    wait(page, "document.querySelectorAll('.formula .set').length >= 5")
    wait(page, "document.querySelectorAll('.joints .row').length === 2")
    write(page, "RZ(A1,B1),TXK(L1),RQ(A2,B2);")
    wait(page, "document.querySelector('.said').classList.contains('bad')")
    assert "axis letter" in page.locator(".said").inner_text()
    assert page.locator(".cm-lintRange-error").count() == 1


def test_formulas_below_the_screen_are_typeset_too(page):
    wait(page, "[...document.querySelectorAll('.group[open] .math')].every((e) => e.innerHTML)")
    text = page.locator(".formula").first.inner_text()
    assert text.startswith("Q1") or text.startswith("Q2")
    wait(page, "document.querySelector('.operations').textContent.includes('inverse dynamics')")


def test_signs_beyond_closed_forms_are_set_by_katex(page):
    write(page, "RZ(),TXK(λ),RZ(),TXK(L2); gravity = (0, G, 0);")
    wait(page, "document.querySelectorAll('.formula .katex').length >= 1")
    assert page.locator(".formula .katex-error").count() == 0


@pytest.mark.parametrize(("name", "words"), [("fourbar", "Closure"), ("truck", "step 10")])
def test_closed_machines_show_their_steps(page, name, words):
    write(page, written(getattr(da.robots, name)(), "toml")[0])
    wait(page, f"document.querySelector('.formulas').textContent.includes('{words}')")
    wait(page, "[...document.querySelectorAll('.group[open] .math')].every((e) => e.innerHTML)")
    assert page.locator(".formula .katex-error").count() == 0


def test_an_engineer_opens_a_urdf_and_takes_c(page):
    write(page, URDF)
    wait(page, "document.querySelector('.said').textContent.startsWith('pair')")
    page.get_by_role("button", name="Code", exact=True).click()
    wait(page, "document.querySelector('.listing').textContent.includes('#include')")
    page.get_by_label("language").select_option("rust")
    wait(page, "document.querySelector('.listing').textContent.includes('fn ')")


def test_a_designer_drags_a_length_and_lets_go(page):
    text = "RY(),TXK(L1); body 1: M = 2, D = (L1, 0, 0), I = (0.001, 0.02, 0.02);"
    write(page, text)
    page.get_by_label("L1", exact=True).evaluate(
        "e => { e.value = 0.8; e.dispatchEvent(new Event('input')); }"
    )
    wait(page, "Math.abs(studio.machine.scene.bodies[0].points[1][0] - 0.8) < 1e-9")
    page.get_by_role("button", name="Motion", exact=True).click()
    page.get_by_role("button", name="let go from this pose").click()
    wait(page, "document.querySelectorAll('.result canvas').length >= 2")


def test_payloads_stay_text(page):
    bad = [
        "<img src=x onerror=window.broken=1>", "</script><script>window.broken=1</script>",
        "javascript:window.broken=1", "\\\\href{javascript:window.broken=1}{x}",
        "\\\\htmlData{a=b}{x}", "{{7*7}}", "'\\\"><svg onload=window.broken=1>", "$\\\\input{x}$",
    ]  # fmt: skip
    bodies = "\n".join(
        f'[[bodies]]\nname = "{b}"\nparent = {k - 1}\nmass = 1\ncom = [1, 0, 0]\n'
        f'joint = {{ type = "revolute", axis = [0, 0, 1], name = "{b}" }}'
        for k, b in enumerate(bad)
    )
    write(page, f'format = "dalembert/1"\nname = "{bad[0]}"\n{bodies}')
    wait(page, "document.querySelectorAll('.joints .row').length === 8")
    for phrase in (*bad, f"RZ(), {bad[0]};", f"RZ(); # {bad[1]}"):
        write(page, phrase)
    page.wait_for_timeout(200)
    assert page.evaluate("window.broken") is None
    assert page.locator("img, svg[onload], .said script").count() == 0


def quoted(text):
    """Return a text as TOML writes it."""
    return json.dumps(text, ensure_ascii=True)


@pytest.mark.parametrize("part", range(5))
def test_two_hundred_names_stay_text(page, part):
    own = [p for p in PAYLOADS[part::5] if p.isprintable()]
    bodies = "\n".join(
        f"[[bodies]]\nname = {quoted(b)}\nparent = -1\nmass = 1\ncom = [1, 0, 0]\n"
        f'joint = {{ type = "revolute", axis = [0, 0, 1], name = {quoted(b)} }}'
        for b in own
    )
    write(page, f'format = "dalembert/1"\nname = {quoted(own[0])}\n{bodies}')
    wait(page, f"document.querySelectorAll('.joints .row').length === {len(own)}")
    unharmed(page)


@pytest.mark.slow
def test_two_hundred_phrases_stay_text(page):
    assert len(set(PAYLOADS)) == 200
    for text in PAYLOADS:
        write(page, text)
        write(page, f"RZ(), {text};")
    unharmed(page)


def unharmed(page):
    page.wait_for_timeout(200)
    assert page.evaluate("window.broken") is None
    assert page.evaluate("location.pathname") == "/"
    inside = "#studio :is(img, iframe, object, embed, form, base, script, svg[onload], [onerror])"
    assert page.locator(inside).count() == 0


def test_a_student_strikes_a_term_and_reads_the_proven_error(page):
    text = "RY(),TXK(0.4),RY(); body 1: M = 2, D = (0.2,0,0), I = (0.001,0.03,0.03);"
    write(page, text + " body 2: M = 1, D = (0.15,0,0.1), I = (0.001,0.01,0.01);")
    page.get_by_role("button", name="Terms", exact=True).click()
    wait(page, "document.querySelector('.result').textContent.includes('Nothing is left out')")
    before = page.evaluate("studio.answered")
    page.locator(".term input").last.click()
    wait(page, f"studio.answered > {before}")
    wait(page, "document.querySelectorAll('.errors td').length === 6")
    count = "document.querySelector('.result').textContent.match(/^(\\d+) of (\\d+) terms/)"
    wait(page, f"{count} && +{count}[1] < +{count}[2]")
    assert page.locator(".term.struck").count() == 1
    errors = page.locator(".errors td:nth-child(2)").all_inner_texts()
    assert any(float(x) > 0 for x in errors)


def test_a_machine_becomes_a_grid_that_is_edited_and_taken_back(page):
    write(page, "RZ(),TXK(0.4),RY(); body 2: M = 2, D = (0.2,0,0), I = (0.001,0.03,0.03);")
    page.get_by_role("button", name="DH grid", exact=True).click()
    wait(page, "document.querySelectorAll('.dh tr').length === 3")
    page.get_by_role("button", name="add a row").click()
    wait(page, "document.querySelector('.said').textContent.includes(': 3 joints')")
    page.get_by_label("d of row 3").fill("0.25")
    wait(page, "Math.abs(studio.machine.scene.bodies[2].place[3] - 0.25) < 1e-9 || "
               "JSON.stringify(studio.machine.scene.bodies[2].place).includes('0.25')")  # fmt: skip
    for _ in range(9):
        if page.locator(".cm-content").is_visible():
            break
        page.get_by_role("button", name="undo", exact=True).click()
    assert page.locator(".cm-content").inner_text().startswith("RZ(),TXK(0.4)")


def test_a_machine_that_is_no_table_keeps_its_text(page):
    write(page, written(da.robots.fourbar(), "toml")[0])
    page.get_by_role("button", name="DH grid", exact=True).click()
    wait(page, "document.querySelector('.sheet').textContent.includes('no loops')")
    page.get_by_role("button", name="as text", exact=True).click()
    assert "fourbar" in page.locator(".cm-content").inner_text()


def test_open_parameters_take_sample_values_and_give_them_back(page):
    write(page, "RZ(),TXK(L1),RZ(),TXK(L2); gravity = (0, G, 0);")
    page.get_by_role("button", name="Motion", exact=True).click()
    page.get_by_role("button", name="let go from this pose").click()
    wait(page, "document.querySelector('.result').textContent.includes('no value yet')")
    page.locator(".result").get_by_role("button", name="take sample values").click()
    wait(page, "document.querySelectorAll('.result canvas').length >= 2")
    page.get_by_role("button", name="undo", exact=True).click()
    wait(page, "document.querySelector('[aria-label=\"M1, number\"]').value === 'open'")


def test_a_loop_is_moved_by_its_motors(page):
    write(page, written(da.robots.fourbar(), "toml")[0])
    page.get_by_role("button", name="Forces", exact=True).click()
    page.get_by_role("button", name="move from the start pose to this one").click()
    wait(page, "document.querySelectorAll('.result canvas').length >= 2")


def test_formalisms_are_compared(page):
    write(page, "RZ(),TXK(0.4),RY(); body 2: M = 2, D = (0.2,0,0), I = (0.001,0.03,0.03);")
    page.get_by_role("button", name="Formalisms", exact=True).click()
    wait(page, "document.querySelector('.tab').textContent.includes('all agree')")
    assert "augmented_body" in page.locator(".tab").inner_text()


def test_an_answer_that_comes_late_stays_in_its_tab(page):
    write(page, "RZ(),TXK(0.4),RY(); body 2: M = 2, D = (0.2,0,0), I = (0.001,0.03,0.03);")
    page.get_by_role("button", name="Formalisms", exact=True).click()
    page.get_by_role("button", name="Code", exact=True).click()
    wait(page, "document.querySelector('.listing').textContent.includes('#include')")
    page.get_by_role("button", name="Formalisms", exact=True).click()
    wait(page, "document.querySelector('.tab').textContent.includes('all agree')")
    assert page.locator(".tab .listing").count() == 0
    assert page.locator(".tab .errors").count() == 1


def test_an_open_tab_follows_the_machine_and_leaves_nothing_behind(page):
    write(page, "RZ(),TXK(0.4),RY(); body 2: M = 2, D = (0.2,0,0), I = (0.001,0.03,0.03);")
    page.get_by_role("button", name="Motion", exact=True).click()
    page.get_by_role("button", name="let go from this pose").click()
    arrows = "studio.drawing.layers.reactions.length + studio.drawing.layers.forces.length"
    wait(page, f"{arrows} > 0")
    page.get_by_role("button", name="Formalisms", exact=True).click()
    assert page.evaluate(arrows) == 0 and page.evaluate("studio.player") is None
    wait(page, "document.querySelector('.tab').textContent.includes('all agree')")
    cells = "[...document.querySelectorAll('.tab td')].map((e) => e.textContent).join()"
    before = page.evaluate(cells)
    write(page, "RZ(),TXK(0.4),RY(),TXK(0.3),RX();")
    wait(page, f"{cells} && {cells} !== {json.dumps(before)}")


def test_a_mistake_leaves_the_last_equations_in_sight(page):
    count = page.locator(".formula .set").count()
    write(page, "RZ(A1,B1),TXK(L1),RQ(A2,B2);")
    wait(page, "document.querySelector('.formulas').classList.contains('old')")
    assert page.locator(".formula .set").count() == count
    write(page, "RZ(A1,B1),TXK(L1);")
    wait(page, "!document.querySelector('.formulas').classList.contains('old')")


def test_slow_clients_do_not_hold_the_others(studio):
    held = []
    for _ in range(100):
        s = socket.create_connection(("127.0.0.1", studio.port))
        s.sendall(b"POST /api/describe HTTP/1.1\r\nHost: 127.0.0.1")
        held.append(s)
    one = socket.create_connection(("127.0.0.1", studio.port), timeout=30)
    one.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{studio.port}\r\n\r\n".encode())
    assert one.recv(100).startswith(b"HTTP/1.1 401")
    for s in (*held, one):
        s.close()


def test_it_listens_on_the_loopback_alone(studio):
    assert studio._socket.getsockname()[0] == "127.0.0.1"
    assert studio.token not in repr(studio)


def test_the_bundle_is_small():
    need_bundle()
    from dalembert.studio.server import static_files

    assert 0 < sum(map(len, static_files().values())) < 2.5e6
