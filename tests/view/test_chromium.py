"""Pages in a real browser: they draw, sliders move them, loops stay closed, nothing goes out."""

import pytest

import dalembert as da
from view.browser import Watched, chromium, need_bundle, wait

MACHINES = ["panda", "stanford", "scara", "fourbar", "stewart", "delta", "truck", "flexible2r",
            "spacecraft", "walker", "differential_drive"]  # fmt: skip


@pytest.fixture(scope="module")
def browser():
    need_bundle()
    with chromium() as found:
        yield found


# pixels of the stage that the machine colours, at the places where its joints are
DRAWN = """() => {
  const v = window.view, gl = v.stage.renderer.domElement;
  v.stage.draw();
  const c = document.createElement('canvas'); c.width = gl.width; c.height = gl.height;
  const x = c.getContext('2d', { willReadFrequently: true }); x.drawImage(gl, 0, 0);
  const F = v.machine.frames(), s = gl.width / gl.clientWidth;
  return v.scene.bodies.map((b, j) => {
    if (b.hidden || b.kind === 'fixed') return 255;
    const p = v.stage.camera.position.clone().set(F[j][9], F[j][10], F[j][11]);
    const [a, d] = v.stage.project(p);
    return x.getImageData(Math.round(a * s), Math.round(d * s), 1, 1).data[3];
  });
}"""


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_draws_and_moves_and_asks_for_nothing(browser, name, tmp_path):
    m = getattr(da.robots, name)()
    watched = Watched(browser)
    page = watched.open(m.save_html(tmp_path / f"{name}.html"))
    assert min(page.evaluate(DRAWN)) > 200, "a joint is not where the picture should show it"
    before = page.evaluate("JSON.stringify(view.machine.frames())")
    # a base that moves leaves the picture
    sliders = page.locator(".row input[type=range]:not([data-joint^='base '])")
    for k in range(min(3, sliders.count())):
        box = sliders.nth(k)
        low, high = float(box.get_attribute("min")), float(box.get_attribute("max"))
        goal = float(box.input_value()) + 0.08 * (high - low)
        box.evaluate("(e, x) => { e.value = x; e.dispatchEvent(new Event('input')); }", goal)
        assert page.evaluate("view.machine.residual()") < 1e-9
    assert page.evaluate("JSON.stringify(view.machine.frames())") != before
    assert min(page.evaluate(DRAWN)) > 200
    assert watched.complaints == [] and watched.asked() == []
    page.close()


def test_the_frames_of_the_page_are_those_of_the_kernels(browser, tmp_path):
    import numpy as np

    m = da.robots.walker()
    q = da.integrate(m, da.neutral(m), np.random.default_rng(1).uniform(-1, 1, m.nv))
    page = Watched(browser).open(m.save_html(tmp_path / "w.html", q))
    frames = page.evaluate("view.machine.frames()")
    for body, T in zip(m.bodies, frames, strict=True):
        expected = da.pose(m, q, frame=body.name)
        found = np.c_[np.reshape(T[:9], (3, 3)), T[9:]]
        assert np.allclose(found, expected[:3], atol=1e-12)
    page.close()


def test_a_motion_plays_and_its_layers_switch(browser, tmp_path):
    m = da.robots.fourbar()
    r = da.simulate(m, da.assemble(m), t=1.0)
    watched = Watched(browser, (1000, 700))
    page = watched.open(r.save_html(tmp_path / "run.html"))
    assert page.locator(".plot canvas").count() == 2
    page.get_by_label("play or pause").click()
    wait(page, "view.player.time > 0.05")
    page.get_by_label("play or pause").click()
    assert page.evaluate("view.machine.residual()") < 1e-9
    for button in page.locator(".switches button").all():
        button.click()
    page.locator(".tools button").first.click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.wait_for_timeout(100)
    assert watched.complaints == []
    page.close()


COLOURS = """() => [...document.querySelectorAll('.plot')].map((plot) => Object.fromEntries(
  [...plot.querySelectorAll('.u-legend tr')].slice(1).map((row) =>
    [row.querySelector('.u-label').textContent, row.querySelector('.u-marker').style.border])))"""


def test_a_joint_has_one_colour_in_all_plots(browser, tmp_path):
    m = da.load("a: RZ(), TXK(1), b: RZ(), TXK(1), c: RZ(), TXK(1); body 1: M = 1; body 3: M = 1;")
    move = da.trajectory.quintic([0, 0, 0], [1, 0, 1], 1.0)  # b rests: its angle is not drawn
    page = Watched(browser).open(da.torques_along(m, move).save_html(tmp_path / "move.html"))
    angles, torques = page.evaluate(COLOURS)
    assert set(angles) < set(torques) == {"a", "b", "c"}
    assert all(angles[name] == torques[name] for name in angles)
    assert len(set(torques.values())) == 3
    page.close()


def test_on_a_narrow_page_the_panel_opens_on_request(browser, tmp_path):
    page = Watched(browser, (390, 780)).open(da.robots.ur5().save_html(tmp_path / "narrow.html"))
    assert not page.locator(".panel").is_visible()
    page.get_by_label("panel", exact=True).click()
    assert page.locator(".panel").is_visible()
    page.close()


OVERLAPS = """() => {
  const boxes = [...document.querySelectorAll('.labels span')].filter((e) => e.offsetWidth)
    .map((e) => e.getBoundingClientRect());
  const stage = document.querySelector('.stage').getBoundingClientRect();
  const apart = (a, b) => a.right <= b.left || b.right <= a.left
    || a.bottom <= b.top + 2 || b.bottom <= a.top + 2;
  const pairs = boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => !apart(a, b)));
  const out = boxes.filter((a) => a.left < stage.left || a.right > stage.right);
  return [boxes.length, pairs.length, out.length];
}"""


@pytest.mark.parametrize(("name", "labels"), [("stewart", 18), ("walker", 10), ("ur5", 7)])
def test_names_stand_apart_and_inside_the_picture(browser, name, labels, tmp_path):
    m = getattr(da.robots, name)()
    page = Watched(browser).open(m.save_html(tmp_path / "n.html"))
    page.get_by_role("button", name="names", exact=True).click()
    wait(page, f"({OVERLAPS})()[0] > 0")
    assert page.evaluate(OVERLAPS) == [labels, 0, 0]
    page.close()


def test_layers_are_made_when_they_are_shown(browser, tmp_path):
    page = Watched(browser).open(da.robots.panda().save_html(tmp_path / "p.html"))
    for layer in ("frames", "limits", "centres", "inertia"):
        count = f"view.drawing.layers.{layer}.filter((g) => g.visible).length"
        assert page.evaluate(count) == 0
        button = page.locator(f".switches button[data-layer={layer}]")
        button.click()
        assert page.evaluate(count) >= 7
        button.click()
        assert page.evaluate(count) == 0
    page.close()


def test_a_saved_picture_is_not_the_coarse_one(browser, tmp_path):
    page = Watched(browser).open(da.robots.panda().save_html(tmp_path / "p.html"))
    page.evaluate("() => { view.stage.draw(); view.stage.draw(); }")  # as when a slider moves
    with page.expect_download() as saved:
        page.get_by_label("save a picture").click()
    from PIL import Image

    size = Image.open(saved.value.path()).size
    assert size[0] >= page.evaluate("view.stage.renderer.domElement.clientWidth")
    page.close()


def test_hostile_names_stay_text(browser, tmp_path):
    bad = '"><img src=x onerror="window.broken=1"><script>window.broken=1</script>'
    m = da.load({
        "format": "dalembert/1", "name": bad,
        "bodies": [{"name": bad, "parent": -1, "mass": 1, "com": [1, 0, 0],
                    "joint": {"type": "revolute", "axis": [0, 0, 1], "name": bad}}],
    })  # fmt: skip
    watched = Watched(browser)
    page = watched.open(m.save_html(tmp_path / "bad.html"))
    assert page.locator("h1").inner_text().startswith('"><img')
    assert page.evaluate("window.broken") is None and page.locator("img").count() == 0
    page.close()


def test_arrows_turn_with_the_sign_of_the_force(browser, tmp_path):
    m = da.load("RY(), TXK(1); body 1: M = 2, D = (1, 0, 0), I = (0, 0.1, 0.1);")
    forces = da.torques_along(m, da.trajectory.quintic([0.0], [3.0], 1.0))
    page = Watched(browser).open(forces.save_html(tmp_path / "f.html"))
    for k in (0, 200):  # held up on one side, then on the other
        page.evaluate(f"view.player.seek({forces.t[k]})")
        turned = page.evaluate("view.player.arrows[0].inner.rotation.x > 1")
        assert turned is bool(forces.tau[k, 0] < 0)
    assert forces.tau[0, 0] * forces.tau[200, 0] < 0
    page.close()


def test_without_webgl_the_page_says_so_above_its_drawing(browser, tmp_path):
    path = da.robots.scara().save_html(tmp_path / "scara.html")
    page = browser.new_page(viewport={"width": 800, "height": 600})
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    page.goto(path.as_uri())
    assert "WebGL is off" in page.inner_text(".failed")
    assert page.evaluate("document.getElementById('dalembert').children.length") == 1
    top = page.evaluate("document.getElementById('scheme').getBoundingClientRect().top")
    assert top < 200, "the drawing is not in the first screen"
