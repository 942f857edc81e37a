// One page: a machine, its sliders, and its motion if there is one.

import * as THREE from "three";
import plotStyle from "uplot/dist/uPlot.min.css";
import { Machine } from "./kinematics";
import { Labels } from "./labels";
import { look } from "./look";
import { Drawing, type Layer } from "./machine";
import { element, number, Sliders, switches } from "./panel";
import { Player } from "./player";
import type { Scene } from "./scene";
import { Stage } from "./stage";
import style from "./style.css";

export class View {
  readonly machine: Machine;
  readonly drawing: Drawing;
  readonly stage: Stage;
  readonly player: Player | null = null;
  private readonly sliders: Sliders;
  private readonly labels: Labels;

  constructor(readonly scene: Scene, host: HTMLElement) {
    host.classList.add("dalembert");
    const main = element("div", host, "main"), panel = element("aside", host, "panel");
    const canvas = element("div", main, "stage");
    const bottom = element("div", main, "bottom");
    this.machine = new Machine(scene);
    this.drawing = new Drawing(this.machine);
    this.stage = new Stage(canvas, look(this.machine, this.drawing));
    this.stage.scene.add(this.drawing.root);
    if (scene.ghost) {
      this.stage.scene.add(new Drawing(new Machine(scene.ghost), true).root);
    }

    // head
    const head = element("header", panel);
    element("h1", head, "", scene.name);
    element("p", head, "sizes", scene.headline.slice(scene.headline.indexOf(":") + 1).trim());
    const tools = element("div", head, "tools");
    const tool = (label: string, title: string, act: () => void) => {
      const b = element("button", tools, "", label);
      b.type = "button";
      b.title = title;
      b.setAttribute("aria-label", title);
      b.addEventListener("click", act);
      return b;
    };
    tool("◐", "light or dark", () => this.theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
    tool("⌂", "camera back", () => this.stage.home());
    tool("↺", "start pose", () => { this.player?.pause(); this.machine.q = scene.q.slice(); this.refresh(); });
    tool("⤓", "save a picture", () => this.picture());
    const fold = element("button", main, "fold", "☰");
    fold.type = "button";
    fold.setAttribute("aria-label", "panel");
    // beside a narrow stage the panel would cover half of it: it opens on request
    host.classList.toggle("folded", matchMedia("(max-width: 620px)").matches);
    fold.addEventListener("click", () => { host.classList.toggle("folded"); this.stage.resize(); });

    this.sliders = new Sliders(panel, this.machine, () => { this.player?.pause(); this.refresh(); });
    if (scene.steer.length) this.steering(panel);
    const motion = scene.motion;
    if (motion) {
      const bar = element("div", bottom, "bar"), plots = element("div", bottom, "plots");
      (this as { player: Player | null }).player = new Player(motion, this.drawing, bar, plots, () => this.refresh());
      this.stage.scene.add(this.player!.trails);
    }
    this.labels = new Labels(canvas, this.machine, this.stage);
    const has = (f: (b: Scene["bodies"][number]) => unknown) => scene.bodies.some((b) => f(b));
    const layers: [Layer | "names" | "trails" | "plots", string, boolean][] = [["names", "names", false], ["frames", "frames", false]];
    if (has((b) => b.limits[0] && b.limits[0][0] !== null && !b.hidden)) layers.push(["limits", "limits", false]);
    if (has((b) => b.centre)) layers.push(["centres", "mass centres", false]);
    if (has((b) => b.ellipsoid)) layers.push(["inertia", "inertia", false]);
    if (motion?.forces) layers.push(["forces", "forces", true]);
    if (scene.meshes?.parts.length) layers.push(["meshes", "meshes", true]);
    if (motion?.reactions) layers.push(["reactions", "reactions", false]);
    if (motion) layers.push(["trails", "trails", true], ["plots", "plots", motion.plots.length > 0 && host.clientHeight > 420]);
    switches(panel, layers, (layer, on) => this.set(layer, on, bottom));
    if (scene.remarks.length || motion?.note) {
      const box = element("div", panel, "remarks");
      for (const text of [...scene.remarks, ...(motion?.note ? [motion.note] : [])]) element("p", box, "", text);
    }
    this.hover(canvas);
    this.stage.afterDraw = () => this.labels.place();
    this.theme(scene.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
    this.stage.resize();
    this.stage.home();
    this.player?.fit();
    this.refresh();
    if (motion && !location.hash.includes("still") && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.player!.toggle();
  }

  refresh(): void {
    this.drawing.update();
    this.sliders.refresh();
    this.stage.redraw();
  }

  theme(name: string): void {
    const chosen = name === "dark" ? "dark" : "light";
    document.documentElement.dataset.theme = chosen;
    this.stage.theme(chosen);
    this.player?.redrawPlots();
  }

  private set(layer: Layer | "names" | "trails" | "plots", on: boolean, bottom: HTMLElement): void {
    if (layer === "names") this.labels.on = on;
    else if (layer === "trails") this.player!.trails.visible = on;
    else if (layer === "plots") {
      bottom.classList.toggle("tall", on);
      this.stage.resize();
      this.player!.fit();
    } else this.drawing.show(layer, on);
    this.stage.redraw();
  }

  private steering(panel: HTMLElement): void {
    const box = element("details", panel, "group");
    box.open = true;
    element("summary", box, "", "Steering");
    for (const name of this.scene.steer) {
      const line = element("div", box, "row");
      element("label", line, "name", name);
      const input = element("input", line), value = element("span", line, "value", "0°");
      input.type = "range";
      input.step = "any";
      input.min = "-0.8";
      input.max = "0.8";
      input.value = "0";
      input.setAttribute("aria-label", name);
      input.addEventListener("input", () => {
        this.drawing.steer[name] = +input.value;
        value.textContent = `${number((+input.value * 180) / Math.PI, 1)}°`;
        this.refresh();
      });
    }
  }

  // what is under the mouse
  private hover(canvas: HTMLElement): void {
    const tip = element("div", canvas, "tip"), ray = new THREE.Raycaster(), at2 = new THREE.Vector2();
    canvas.addEventListener("pointerleave", () => (tip.style.display = "none"));
    canvas.addEventListener("pointermove", (e) => {
      if (e.buttons) return;
      const box = canvas.getBoundingClientRect();
      at2.set(((e.clientX - box.left) / box.width) * 2 - 1, 1 - ((e.clientY - box.top) / box.height) * 2);
      ray.setFromCamera(at2, this.stage.camera);
      const hit = ray.intersectObjects(this.drawing.groups, true).find((h) => visible(h.object));
      let o: THREE.Object3D | null = hit?.object ?? null;
      while (o && !this.drawing.groups.includes(o as THREE.Group)) o = o.parent;
      if (!o) { tip.style.display = "none"; return; }
      const b = this.scene.bodies[this.drawing.groups.indexOf(o as THREE.Group)];
      const words = [b.joint, b.kind];
      if (b.name !== b.joint) words.unshift(b.name);
      if (b.mass !== null) words.push(`${number(b.mass)} kg`);
      tip.textContent = words.join(" · ");
      tip.style.display = "block";
      tip.style.transform = `translate(${e.clientX - box.left + 14}px, ${e.clientY - box.top + 14}px)`;
    });
  }

  picture(): void {
    this.stage.fine();
    this.stage.renderer.domElement.toBlob((blob) => {
      if (!blob) return;
      const a = document.createElement("a"), url = URL.createObjectURL(blob);
      a.href = url;
      a.download = `${this.scene.name.replace(/[^\w.-]+/g, "_") || "machine"}.png`;
      a.click();
      URL.revokeObjectURL(url);
    });
  }
}

function visible(o: THREE.Object3D): boolean {
  for (let p: THREE.Object3D | null = o; p; p = p.parent) if (!p.visible) return false;
  return true;
}

function begin(): void {
  const sheet = document.createElement("style");
  sheet.textContent = plotStyle + style;
  document.head.appendChild(sheet);
  const host = document.getElementById("dalembert")!;
  const data = JSON.parse(document.getElementById("scene")!.textContent!) as Scene;
  try {
    const start = performance.now(), view = new View(data, host);
    view.stage.draw();
    (window as unknown as Record<string, unknown>).view = view;
    performance.measure("drawn", { start });
    (window as unknown as Record<string, unknown>).ready = performance.now() - start;
  } catch (error) {
    // a browser without WebGL still shows the scheme that the page holds
    document.getElementById("scheme")?.removeAttribute("hidden");
    host.replaceChildren(); // what was begun of the view would stand above the scheme, empty
    host.classList.add("flat");
    const why = `(${(error as Error).message})`;
    element("p", host, "failed", `This browser cannot draw in three dimensions: WebGL is off ${why}. Turn on hardware acceleration; a drawing stands below.`);
    console.warn(error);
  }
}

begin();
