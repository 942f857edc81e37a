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
import { ask, askNewest, deriving, keep, leave, told, waiting, type Wrong } from "./api";
import { compareTab } from "./compare";
import { Editor } from "./editor";
import { showCost, showEquations, unfolded, type Equations } from "./formulas";
import { grid, parsed } from "./grid";
import { Parameters, type Parameter, type Values } from "./parameters";
import { nothing, reduces, reduceTab } from "./reduce";
import "./studio.css";

interface Described {
  scene: Scene;
  parameters: Parameter[];
  notes: string[];
  quantities: string[];
  rolls: { speed: string; steered: boolean } | null;
}

const LANGUAGES = ["c", "cpp", "python", "numpy", "jax", "octave", "fortran", "rust", "julia", "casadi"];

const FADED = new THREE.MeshStandardMaterial({ color: 0x9aa4b2, transparent: true, opacity: 0.22, depthWrite: false });

class StudioPage {
  private readonly editor: Editor;
  private readonly said: HTMLElement;
  private readonly parameters: Parameters;
  private readonly stageHost: HTMLElement;
  private readonly jointHost: HTMLElement;
  private readonly formulas: HTMLElement;
  private readonly low: HTMLElement;
  private stage: Stage | null = null;
  private drawing: Drawing | null = null;
  private machine: Machine | null = null;
  private sliders: Sliders | null = null;
  private player: Player | null = null;
  values: Values = {}; // of sliders
  // for undo: the values of sliders, or how many steps back the text had
  private readonly past: (Values | number)[] = [];
  private again: (() => void) | null = null; // makes the open tab anew, for another machine
  private late = 0;
  choice = nothing(); // which terms are left out
  private code = { quantity: "", language: "c" }; // chosen last
  private shape = ""; // what decides whether sliders stay
  private about: Described | null = null; // the last right description
  private timer = 0;
  answered = 0; // equations typeset so far, for those who wait
  took = 0; // milliseconds from the last keystroke to typeset equations

  constructor(host: HTMLElement, first: string) {
    host.className = "studio dalembert";
    const left = element("section", host, "left"), middle = element("section", host, "middle"), right = element("section", host, "right");
    const head = element("div", left, "head"), bar = element("div", left, "tools2");
    element("h1", head, "", "dalembert studio");
    this.button(head, "◐", "light or dark", () => this.theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
    this.button(bar, "open a file", "a phrase, TOML, JSON, URDF or table from your disk", () => this.open());
    this.button(bar, "save TOML", "keep the description with the values of the sliders", () => void this.save("toml"));
    this.button(bar, "notebook", "a Jupyter notebook that begins here", () => void this.save("ipynb"));
    this.button(bar, "share page", "one HTML file with this machine, which needs no studio", () => void this.save("html"));
    const table = this.button(bar, "DH grid", "the description as a table of cells", () => {
      const on = sheet.hidden;
      sheet.hidden = !on;
      box.hidden = on;
      table.textContent = on ? "as text" : "DH grid";
      host.classList.toggle("wide", on);
      if (on) void grid(sheet, this.given(), write);
    });
    let written = ""; // by the grid: what else changes the text, such as undo, makes the grid anew
    const write = (text: string) => { written = text; this.editor.text = text; };
    this.button(bar, "undo", "take back the last slider, else the last change of the text", () => this.undo());
    const box = element("div", left, "editor"), sheet = element("div", left, "sheet");
    sheet.hidden = true;
    this.said = element("div", left, "said");
    this.said.setAttribute("role", "status");
    this.parameters = new Parameters(element("div", left, "parameters"), this);
    this.stageHost = element("div", middle, "stage");
    this.jointHost = element("div", middle, "joints");
    this.low = element("div", middle, "low");
    element("h2", right, "", "Equations");
    this.formulas = element("div", right, "formulas");
    this.tabs();
    this.editor = new Editor(box, first, (undone) => {
      if (!undone && typeof this.past.at(-1) !== "number") this.past.push(this.editor.steps - 1);
      if (!sheet.hidden && this.editor.text !== written) {
        if (parsed(this.editor.text)) void grid(sheet, this.given(), write);
        else table.click();
      }
      this.typed();
    });
    this.theme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    void this.refresh(true);
  }

  private button(host: HTMLElement, text: string, title: string, act: () => void): HTMLButtonElement {
    const b = element("button", host, "", text);
    b.type = "button";
    b.title = title;
    b.addEventListener("click", act);
    return b;
  }

  private given(more: Record<string, unknown> = {}): Record<string, unknown> {
    return { text: this.editor.text, values: this.values, ...more };
  }

  // one step back, of a slider or of the text
  private undo(): void {
    const before = this.past.pop();
    if (before === undefined) return this.editor.undo();
    if (typeof before === "number") {
      this.editor.undo();
      if (this.editor.steps > before) this.past.push(before); // the text changed more than once
      return;
    }
    this.values = before;
    this.parameters.again();
    this.changed();
  }

  before(values: Values): void {
    this.past.push(values);
  }

  dragged(): void {
    clearTimeout(this.timer);
    void this.refresh(false);
    this.timer = window.setTimeout(() => void this.refresh(true), 250);
    this.renew();
  }

  changed(): void {
    void this.refresh(true);
    this.renew();
  }

  private typed(): void {
    clearTimeout(this.timer);
    this.choice = { ...nothing(), qd: this.choice.qd, qdd: this.choice.qdd }; // other equations have other terms
    void this.refresh(true, performance.now());
    this.renew();
  }

  // Machine and equations are asked at once. The machine is drawn after the equations, or where they take
  // long: without a graphics card its picture costs more than they do.
  async refresh(equations: boolean, since = performance.now()): Promise<void> {
    const seen = askNewest<Described>("describe", this.given()).then((d) => (d ? { scene: d.scene, drawn: this.described(d, d.error) } : null));
    let typeset: Promise<void> = Promise.resolve();
    if (equations) {
      const done = deriving(this.formulas, "deriving the equations");
      typeset = askNewest<Equations>("equations", this.given({ kinds: unfolded(), strike: this.choice.strike })).finally(done).then(async (e) => {
        if (!e) return;
        // while a description is wrong, the equations of the last right one stay, pale
        const pale = !!e.error && (await seen)?.drawn === false;
        this.formulas.classList.toggle("old", pale);
        if (e.error) { if (!pale) this.formulas.replaceChildren(element("p", null, "cost", told(e.error))); }
        else showEquations(this.formulas, e, (joints) => this.light(joints), () => void this.refresh(true));
        await painted();
        this.took = performance.now() - since;
        this.answered++;
        if (!e.error) void this.cost();
      });
    }
    const described = seen.then(async (d) => {
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
      this.said.textContent = told(wrong);
      return false;
    }
    this.about = d;
    this.said.textContent = [d.scene.headline, ...d.notes.slice(0, 3)].join(" · ");
    if (d.notes.length > 3) element("details", this.said, "", d.notes.slice(3).join(" · ")).prepend(element("summary", null, "", `${d.notes.length - 3} more notes`));
    this.parameters.show(d.parameters);
    return true;
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

  // the links of these joints keep their colours, the others fade
  private light(joints: number[] | null): void {
    this.drawing?.groups.forEach((g, j) => g.traverse((o) => {
      if (!(o instanceof THREE.Mesh)) return;
      o.userData.paint ??= o.material;
      o.material = joints?.length && !joints.includes(j) ? FADED : o.userData.paint;
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
    input.addEventListener("change", () => void input.files?.[0]?.text().then((t) => { this.values = {}; this.past.length = 0; this.editor.text = t; }));
    input.click();
  }

  private async save(kind: string): Promise<void> {
    const r = await ask<{ name: string; text: string }>("save", this.given({ kind, q: this.machine?.q }));
    if (r && !r.error) keep(r.name, r.text);
    else if (r) this.said.textContent = told(r.error!);
  }

  // -- code, forces, motion ---------------------------------------------------------------------

  private tabs(): void {
    const heads = element("div", this.low, "tabs"), body = element("div", this.low, "tab");
    const tabs: [string, string, (host: HTMLElement) => void][] = [
      ["Code", "functions in ten languages", (h) => this.codeTab(h)], ["Forces", "what the motors give along a move", (h) => this.runTab(h, "torques")],
      ["Motion", "the machine let go", (h) => this.runTab(h, "simulate")], ["Frequencies", "small motions about rest", (h) => void this.frequencyTab(h)],
      ["Terms", "a smaller model with a proven error", (h) => reduceTab(h, this.reducing())], ["Formalisms", "what each costs, and that they agree", (h) => void compareTab(h, () => this.given())],
    ];
    tabs.forEach(([name, title, make]) => {
      const b = this.button(heads, name, title, () => {
        const on = b.classList.contains("on");
        heads.querySelectorAll("button").forEach((x) => x.classList.remove("on"));
        leave();
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
      refused: (host: HTMLElement, wrong: Wrong) => page.refused(host, wrong),
    };
  }

  // why there is no answer; open parameters can be given values at once
  private refused(host: HTMLElement, wrong: Wrong): void {
    const line = element("div", host, "tools2");
    element("p", line, "cost bad", told(wrong));
    if (wrong.message.includes("have no value yet")) this.parameters.offer(line);
  }

  private pick(host: HTMLElement, label: string, words: string[]): HTMLSelectElement {
    const box = element("select", host);
    box.setAttribute("aria-label", label);
    for (const w of words) element("option", box, "", w).value = w;
    return box;
  }

  private codeTab(host: HTMLElement): void {
    const bar = element("div", host, "tools2"), quantity = this.pick(bar, "quantity", this.about?.quantities ?? []), language = this.pick(bar, "language", LANGUAGES);
    if (this.code.quantity && this.about?.quantities.includes(this.code.quantity)) quantity.value = this.code.quantity;
    language.value = this.code.language;
    const which = element("select", bar);
    if (reduces(this.choice)) {
      const line = element("div", host, "tools2 offer");
      element("span", line, "cost bad", "This is the code of the smaller model of the tab Terms.");
      this.button(line, "of the full model", "forget what was struck or left out", () => { this.choice = { ...nothing(), qd: this.choice.qd, qdd: this.choice.qdd }; void this.refresh(true); this.again?.(); });
    }
    const out = element("pre", host, "listing");
    which.setAttribute("aria-label", "file");
    let files: Record<string, string> = {};
    const show = () => { out.textContent = files[which.value] ?? ""; };
    const load = async () => {
      out.textContent = "…";
      this.code = { quantity: quantity.value, language: language.value };
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
    const copy = this.button(bar, "copy", "this file to the clipboard", () => void navigator.clipboard?.writeText(files[which.value] ?? "").then(() => {
      copy.textContent = "copied";
      setTimeout(() => { copy.textContent = "copy"; }, 1500);
    }));
    this.button(bar, "download", "this file", () => keep(which.value, files[which.value] ?? ""));
    this.button(bar, "download all", "every file, with its test", () => Object.entries(files).forEach(([n, x], k) => setTimeout(() => keep(n, x), 200 * k)));
    void load();
  }

  private runTab(host: HTMLElement, job: "torques" | "simulate"): void {
    const bar = element("div", host, "tools2"), rolls = job === "simulate" ? this.about?.rolls : null;
    const field = (label: string, value: string, unit: string, step: string) => {
      if (label) element("span", bar, "unit", label);
      const input = element("input", bar);
      input.type = "number";
      input.value = value;
      input.step = step;
      input.setAttribute("aria-label", label || "seconds");
      element("span", bar, "unit", unit);
      return input;
    };
    const words = job === "torques" ? "move from the start pose to this one" : rolls ? "let roll" : "let go from this pose";
    const go = this.button(bar, words, "", () => void run());
    const seconds = field("in", job === "torques" ? "1" : "3", "s", "0.5");
    const push = rolls ? field(`starting with ${rolls.speed} =`, "2", "per s", "0.5") : null, steer = rolls?.steered ? field("steered by", "10", "°", "5") : null;
    seconds.setAttribute("aria-label", "seconds");
    seconds.min = "0.1";
    const result = element("div", host, "result"), hint = element("p", result, "cost");
    hint.textContent = job === "torques"
      ? "Set a pose with the sliders above: the machine moves there smoothly from its start pose, and you see the force of each motor, with friction."
      : rolls ? "The machine rolls without motors." : "The motors are off: the machine falls from the pose of the sliders, with the friction of its joints.";
    const run = async () => {
      this.again = () => void run(); // the same question of another machine
      go.disabled = true;
      const done = waiting(result, "computing");
      const q = this.machine!.q.slice(), home = this.machine!.scene.q;
      const end = q.some((x, k) => Math.abs(x - home[k]) > 1e-9) ? q : null;
      const r = await ask<{ motion: Motion; summary?: string }>(job, this.given({ q, start: home, end, seconds: +seconds.value, push: +(push?.value ?? 0), steer: (+(steer?.value ?? 0) * Math.PI) / 180 }));
      done();
      go.disabled = false;
      result.replaceChildren();
      if (!r || !host.isConnected) return;
      this.player?.dispose();
      if (r.error) return this.refused(result, r.error);
      const line = element("div", result, "bar"), plots = element("div", result, "plots");
      plots.style.display = "flex";
      this.player = new Player(r.motion, this.drawing!, line, plots, () => this.moved());
      this.drawing!.show("reactions", false);
      this.stage!.scene.add(this.player.trails);
      this.player.fit();
      this.player.toggle();
      if (r.summary) element(job === "torques" ? "pre" : "p", result, job === "torques" ? "listing" : "cost", r.summary);
    };
  }

  private async frequencyTab(host: HTMLElement): Promise<void> {
    const wait = element("div", host), done = waiting(wait, "computing");
    const r = await ask<{ stable: boolean; modes: { frequency: number; damping: number }[] }>("frequencies", this.given({ q: this.machine!.q }));
    done();
    if (!r) return;
    if (r.error) return this.refused(wait, r.error);
    element("p", wait, "cost", r.stable ? "Stable about the equilibrium next to this pose." : "Unstable about the equilibrium next to this pose.");
    const table = element("table", host, "errors"), head = element("tr", table);
    for (const w of ["mode", "frequency", "damping ratio"]) element("th", head, "", w);
    for (const m of r.modes) {
      const row = element("tr", table);
      element("td", row, "", String(r.modes.indexOf(m) + 1));
      element("td", row, "", `${number(m.frequency, 4)} Hz`);
      element("td", row, "", number(m.damping, 3));
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
