// The studio: description, machine, equations; below them code, forces, motion.

import "katex/dist/katex.min.css";
import "uplot/dist/uPlot.min.css";
import * as THREE from "three";
import { Machine } from "../view/kinematics";
import { look } from "../view/look";
import { Drawing } from "../view/machine";
import { element, number, Sliders } from "../view/panel";
import { Player } from "../view/player";
import type { Motion, Scene } from "../view/scene";
import { Stage } from "../view/stage";
import "../view/style.css";
import { ask, askNewest, keep, waiting, type Wrong } from "./api";
import { compareTab } from "./compare";
import { Editor } from "./editor";
import { showCost, showEquations, unfolded, type Equations } from "./formulas";
import { grid } from "./grid";
import { nothing, reduceTab } from "./reduce";
import "./studio.css";

interface Described {
  scene: Scene;
  parameters: { name: string; key: string; value: number | null }[];
  notes: string[];
  closed: boolean;
}

const LANGUAGES = ["c", "cpp", "python", "numpy", "jax", "octave", "fortran", "rust", "julia", "casadi"];
const QUANTITIES = ["inverse_dynamics", "forward_dynamics", "mass_matrix", "gravity", "coriolis"];

class StudioPage {
  private readonly editor: Editor;
  private readonly said: HTMLElement;
  private readonly parameters: HTMLElement;
  private readonly stageHost: HTMLElement;
  private readonly jointHost: HTMLElement;
  private readonly formulas: HTMLElement;
  private readonly low: HTMLElement;
  private stage: Stage | null = null;
  private drawing: Drawing | null = null;
  private machine: Machine | null = null;
  private sliders: Sliders | null = null;
  private player: Player | null = null;
  private values: Record<string, number> = {};
  private readonly past: Record<string, number>[] = []; // of sliders, for undo
  private again: (() => void) | null = null; // makes the open tab anew, for another machine
  private late = 0;
  choice = nothing(); // which terms are left out
  private shape = ""; // what decides whether sliders stay
  private timer = 0;
  answered = 0; // equations typeset so far, for those who wait
  took = 0; // milliseconds from the last keystroke to typeset equations

  constructor(host: HTMLElement, first: string) {
    host.className = "studio dalembert";
    const left = element("section", host, "left"), middle = element("section", host, "middle"), right = element("section", host, "right");
    element("h1", left, "", "dalembert studio");
    const bar = element("div", left, "tools2");
    this.button(bar, "open a file", () => this.open());
    this.button(bar, "save TOML", () => this.save("toml"));
    this.button(bar, "notebook", () => this.save("ipynb"));
    this.button(bar, "share as a page", () => this.save("html"));
    const table = this.button(bar, "DH grid", () => {
      const on = sheet.hidden;
      sheet.hidden = !on;
      box.hidden = on;
      table.textContent = on ? "as text" : "DH grid";
      host.classList.toggle("wide", on);
      if (on) grid(sheet, this.editor.text, (text) => { this.editor.text = text; });
    });
    this.button(bar, "undo", () => this.undo());
    this.button(bar, "◐", () => this.theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
    const box = element("div", left, "editor"), sheet = element("div", left, "sheet");
    sheet.hidden = true;
    this.said = element("div", left, "said");
    this.said.setAttribute("role", "status");
    this.parameters = element("div", left, "parameters");
    this.stageHost = element("div", middle, "stage");
    this.jointHost = element("div", middle, "joints");
    this.low = element("div", middle, "low");
    element("h2", right, "", "Equations");
    this.formulas = element("div", right, "formulas");
    this.tabs();
    this.editor = new Editor(box, first, () => this.typed());
    this.theme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    void this.refresh(true);
  }

  private button(host: HTMLElement, text: string, act: () => void): HTMLButtonElement {
    const b = element("button", host, "", text);
    b.type = "button";
    b.addEventListener("click", act);
    return b;
  }

  private given(more: Record<string, unknown> = {}): Record<string, unknown> {
    return { text: this.editor.text, values: this.values, ...more };
  }

  // one step back: the last slider, else the last change of the text
  private undo(): void {
    const before = this.past.pop();
    if (!before) return this.editor.undo();
    this.values = before;
    this.parameters.dataset.names = "";
    void this.refresh(true);
  }

  private typed(): void {
    clearTimeout(this.timer);
    this.choice = { ...this.choice, strike: [] }; // terms of other equations have other numbers
    void this.refresh(true, performance.now());
    this.renew();
  }

  // Machine and equations are asked at once. The machine is drawn after the equations, or where they take
  // long: without a graphics card its picture costs more than they do.
  async refresh(equations: boolean, since = performance.now()): Promise<void> {
    const told = askNewest<Described>("describe", this.given()).then((d) => (d ? { scene: d.scene, drawn: this.described(d, d.error) } : null));
    let typeset: Promise<void> = Promise.resolve();
    if (equations)
      typeset = askNewest<Equations>("equations", this.given({ kinds: unfolded(), strike: this.choice.strike })).then(async (e) => {
        if (!e) return;
        // while a description is wrong, the equations of the last right one stay, pale
        const pale = !!e.error && (await told)?.drawn === false;
        this.formulas.classList.toggle("old", pale);
        if (e.error) { if (!pale) this.formulas.replaceChildren(element("p", null, "cost", [e.error.message, e.error.hint].filter(Boolean).join(" — "))); }
        else showEquations(this.formulas, e, (joints) => this.light(joints), () => void this.refresh(true));
        await painted();
        this.took = performance.now() - since;
        this.answered++;
        if (!e.error) void this.cost();
      });
    const described = told.then(async (d) => {
      if (!d?.drawn) return;
      if (equations) await Promise.race([typeset, new Promise((go) => setTimeout(go, 200))]);
      this.draw(d.scene);
    });
    await Promise.all([described, typeset]);
  }

  // what the open tab shows is of the machine before: soon it is asked again
  private renew(): void {
    clearTimeout(this.late);
    this.late = window.setTimeout(() => { if (!this.said.classList.contains("bad")) this.again?.(); }, 700);
  }

  private async cost(): Promise<void> {
    const r = await askNewest<{ cost: Record<string, string> }>("cost", this.given());
    if (r && !r.error) showCost(this.formulas, r.cost);
  }

  // what is said of a description, and whether it can be drawn
  private described(d: Described, wrong: Wrong | undefined): boolean {
    this.editor.mark(wrong);
    this.said.classList.toggle("bad", !!wrong);
    if (wrong) {
      this.said.textContent = [wrong.message, wrong.hint].filter(Boolean).join(" — ");
      return false;
    }
    this.said.textContent = [d.scene.headline, ...d.notes.slice(0, 3)].join(" · ");
    this.sliderRows(d);
    return true;
  }

  private sliderRows(d: Described): void {
    const names = d.parameters.map((p) => p.key).join("\n");
    if (this.parameters.dataset.names === names) return;
    this.parameters.dataset.names = names;
    this.parameters.replaceChildren();
    this.values = Object.fromEntries(Object.entries(this.values).filter(([n]) => d.parameters.some((p) => p.key === n)));
    if (!d.parameters.length) return;
    const box = element("details", this.parameters, "group");
    box.open = true;
    element("span", element("summary", box, "", "Parameters"), "count", String(d.parameters.length));
    for (const p of d.parameters.slice(0, 120)) {
      const line = element("div", box, "row");
      element("label", line, "name", p.name);
      const input = element("input", line), value = element("span", line, "value", p.value === null ? "open" : number(p.value));
      const size = Math.abs(p.value ?? 0) || 0.4;
      input.type = "range";
      input.step = "any";
      input.min = String(p.value !== null && p.value < 0 ? -2 * size : 0);
      input.max = String(p.value !== null && p.value < 0 ? 0 : 2.5 * size);
      input.value = String(this.values[p.key] ?? p.value ?? 0.4);
      if (p.key in this.values) value.textContent = number(this.values[p.key]);
      input.setAttribute("aria-label", p.name);
      input.addEventListener("pointerdown", () => this.past.push({ ...this.values }));
      input.addEventListener("input", () => {
        this.values[p.key] = +input.value;
        value.textContent = number(+input.value);
        clearTimeout(this.timer);
        void this.refresh(false);
        this.timer = window.setTimeout(() => void this.refresh(true), 250);
        this.renew();
      });
    }
  }

  private draw(scene: Scene): void {
    const shape = JSON.stringify(scene.bodies.map((b) => [b.joint, b.kind, b.limits]));
    const machine = new Machine(scene), same = shape === this.shape && this.machine;
    if (same && !scene.loops.length && !scene.couplings.length) machine.q = this.machine!.q;
    this.player?.dispose();
    this.player = null;
    const drawing = new Drawing(machine);
    if (!this.stage) this.stage = new Stage(this.stageHost, look(machine, drawing));
    if (this.drawing) { this.stage.scene.remove(this.drawing.root); dispose(this.drawing.root); }
    this.stage.scene.add(drawing.root);
    this.machine = machine;
    this.drawing = drawing;
    if (!same) {
      this.stage.place(look(machine, drawing));
      this.stage.home();
      this.stage.theme(document.documentElement.dataset.theme === "dark" ? "dark" : "light");
    }
    this.shape = shape;
    const open = this.jointHost.querySelector("details")?.open;
    this.jointHost.replaceChildren();
    this.sliders = new Sliders(this.jointHost, machine, () => this.moved());
    const first = this.jointHost.querySelector("details");
    if (first && open !== undefined) first.open = open;
    this.moved();
  }

  private moved(): void {
    this.drawing?.update();
    this.sliders?.refresh();
    this.stage?.redraw();
  }

  private light(joints: number[] | null): void {
    this.drawing?.groups.forEach((g, j) => g.traverse((o) => {
      if (o instanceof THREE.Mesh && o.material instanceof THREE.MeshStandardMaterial && !o.material.transparent)
        o.material.emissive.set(joints?.includes(j) ? 0x6a3d00 : 0x000000);
    }));
    this.stage?.redraw();
  }

  private theme(name: "light" | "dark"): void {
    document.documentElement.dataset.theme = name;
    this.stage?.theme(name);
    this.player?.redrawPlots();
  }

  private open(): void {
    const input = element("input", null);
    input.type = "file";
    input.accept = ".toml,.json,.urdf,.csv,.txt";
    input.addEventListener("change", () => void input.files?.[0]?.text().then((t) => { this.values = {}; this.editor.text = t; }));
    input.click();
  }

  private async save(kind: string): Promise<void> {
    const r = await ask<{ name: string; text: string }>("save", this.given({ kind, q: this.machine?.q }));
    if (r && !r.error) keep(r.name, r.text);
    else if (r) this.said.textContent = r.error!.message;
  }

  // -- code, forces, motion ---------------------------------------------------------------------

  private tabs(): void {
    const heads = element("div", this.low, "tabs"), body = element("div", this.low, "tab");
    const tabs: [string, (host: HTMLElement) => void][] = [
      ["Code", (h) => this.codeTab(h)], ["Forces", (h) => this.runTab(h, "torques")],
      ["Motion", (h) => this.runTab(h, "simulate")], ["Frequencies", (h) => this.frequencyTab(h)],
      ["Terms", (h) => reduceTab(h, this.reducing())], ["Formalisms", (h) => void compareTab(h, () => this.given())],
    ];
    tabs.forEach(([name, make]) => {
      const b = this.button(heads, name, () => {
        const on = b.classList.contains("on");
        heads.querySelectorAll("button").forEach((x) => x.classList.remove("on"));
        this.player?.dispose();
        this.player = null;
        this.stage?.redraw();
        this.again = null;
        body.replaceChildren();
        this.low.classList.toggle("tall", !on);
        // a late answer finds the place of its own tab, which is no longer on the page
        if (!on) {
          b.classList.add("on");
          const show = () => { body.replaceChildren(); make(element("div", body, "own")); };
          this.again = show;
          show();
        }
        this.stage?.resize();
      });
    });
  }

  private reducing() {
    const page = this;
    return {
      get choice() { return page.choice; },
      given: (more?: Record<string, unknown>) => page.given(more),
      light: (joints: number[] | null) => page.light(joints),
      changed: () => void page.refresh(true),
    };
  }

  private pick(host: HTMLElement, label: string, words: string[]): HTMLSelectElement {
    const box = element("select", host);
    box.setAttribute("aria-label", label);
    for (const w of words) element("option", box, "", w).value = w;
    return box;
  }

  private codeTab(host: HTMLElement): void {
    const bar = element("div", host, "tools2"), quantity = this.pick(bar, "quantity", QUANTITIES), language = this.pick(bar, "language", LANGUAGES);
    const which = element("select", bar), out = element("pre", host, "listing");
    which.setAttribute("aria-label", "file");
    let files: Record<string, string> = {};
    const show = () => { out.textContent = files[which.value] ?? ""; };
    const load = async () => {
      out.textContent = "…";
      const r = await ask<{ files: Record<string, string> }>("code", this.given({ quantity: quantity.value, language: language.value, ...this.choice }));
      if (!r) return;
      files = r.files ?? {};
      which.replaceChildren();
      for (const n of Object.keys(files)) element("option", which, "", n).value = n;
      const main = Object.keys(files).find((n) => /\.(c|cpp|py|m|f90|rs|jl)$/.test(n) && !/test/.test(n));
      if (main) which.value = main;
      if (r.error) out.textContent = [r.error.message, r.error.hint].filter(Boolean).join("\n");
      else show();
    };
    which.addEventListener("change", show);
    quantity.addEventListener("change", () => void load());
    language.addEventListener("change", () => void load());
    this.button(bar, "copy", () => void navigator.clipboard?.writeText(files[which.value] ?? ""));
    this.button(bar, "download", () => keep(which.value, files[which.value] ?? ""));
    void load();
  }

  private runTab(host: HTMLElement, job: "torques" | "simulate"): void {
    const bar = element("div", host, "tools2");
    const seconds = element("input", bar);
    seconds.type = "number";
    seconds.value = job === "torques" ? "1" : "3";
    seconds.min = "0.1";
    seconds.step = "0.5";
    seconds.setAttribute("aria-label", "seconds");
    element("span", bar, "unit", "s");
    const result = element("div", host, "result");
    const words = job === "torques" ? "move from the start pose to this one" : "let go from this pose";
    const go = this.button(bar, words, () => void run()), stop = this.button(bar, "cancel", () => void ask("cancel", {}));
    stop.disabled = true;
    const run = async () => {
      this.again = () => void run(); // the same question of another machine
      go.disabled = true;
      stop.disabled = false;
      const done = waiting(result, "computing");
      const q = this.machine!.q.slice(), home = this.machine!.scene.q;
      const moved = q.some((x, k) => Math.abs(x - home[k]) > 1e-9);
      const end = moved ? q : home.map((x) => x + 0.5);
      const r = await ask<{ motion: Motion; summary?: string }>(job, this.given({ q, start: home, end, seconds: +seconds.value }));
      done();
      go.disabled = false;
      stop.disabled = true;
      result.replaceChildren();
      if (!r || !host.isConnected) return;
      this.player?.dispose();
      if (r.error) { element("p", result, "cost bad", [r.error.message, r.error.hint].filter(Boolean).join(" — ")); return; }
      const line = element("div", result, "bar"), plots = element("div", result, "plots");
      plots.style.display = "flex";
      this.player = new Player(r.motion, this.drawing!, line, plots, () => this.moved());
      this.drawing!.show("reactions", false);
      this.stage!.scene.add(this.player.trails);
      this.player.fit();
      this.player.toggle();
    };
  }

  private async frequencyTab(host: HTMLElement): Promise<void> {
    const line = element("p", host, "cost", "computing …");
    const r = await ask<{ stable: boolean; modes: { frequency: number; damping: number }[] }>("frequencies", this.given({ q: this.machine!.q }));
    if (!r) return;
    if (r.error) { line.textContent = [r.error.message, r.error.hint].filter(Boolean).join(" — "); return; }
    line.textContent = r.stable ? "stable about its equilibrium" : "unstable about its equilibrium";
    const table = element("table", host);
    for (const m of r.modes) {
      const row = element("tr", table);
      element("td", row, "", `${number(m.frequency, 4)} Hz`);
      element("td", row, "", `damping ${number(m.damping, 3)}`);
    }
  }
}

// when what was written is on the screen
const painted = () => new Promise<void>((done) => requestAnimationFrame(() => setTimeout(done)));

function dispose(root: THREE.Object3D): void {
  root.traverse((o) => { if (o instanceof THREE.Mesh && !o.geometry.userData.shared) o.geometry.dispose(); });
}

async function begin(): Promise<void> {
  const start = await fetch("/api/start", { credentials: "same-origin" });
  const first = ((await start.json()) as { text: string }).text;
  (window as unknown as Record<string, unknown>).studio = new StudioPage(document.getElementById("studio")!, first);
}

void begin();
