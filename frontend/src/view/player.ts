// A motion: time line, trails of the frames that end chains, plots with a cursor.

import * as THREE from "three";
import uPlot from "uplot";
import { at } from "./kinematics";
import type { Drawing } from "./machine";
import { element, number } from "./panel";
import type { Motion, Plot } from "./scene";
import { forceArrow, LINKS } from "./shapes";

export class Player {
  time = 0;
  playing = false;
  speed = 1;
  readonly trails = new THREE.Group();
  private arrows: { what: THREE.Object3D; inner: THREE.Object3D; top: number }[] = [];
  private reactions: THREE.ArrowHelper[] = [];
  private last = 0;
  private readonly line: HTMLInputElement;
  private readonly clock: HTMLElement;
  private readonly button: HTMLButtonElement;
  private readonly plots: uPlot[] = [];
  private readonly end: number;
  private readonly start: number;

  constructor(
    readonly motion: Motion, private readonly drawing: Drawing, bar: HTMLElement,
    private readonly plotHost: HTMLElement, private readonly changed: () => void,
  ) {
    this.start = motion.t[0];
    this.end = motion.t[motion.t.length - 1];
    this.time = this.start;
    this.button = element("button", bar, "play", "▶");
    this.button.type = "button";
    this.button.setAttribute("aria-label", "play or pause");
    this.button.addEventListener("click", () => this.toggle());
    const track = element("div", bar, "track");
    this.line = element("input", track);
    this.line.type = "range";
    this.line.step = "any";
    this.line.min = String(this.start);
    this.line.max = String(this.end);
    this.line.value = String(this.start);
    this.line.setAttribute("aria-label", "time");
    this.line.addEventListener("input", () => { this.pause(); this.seek(+this.line.value); });
    for (const e of motion.events) {
      const mark = element("span", track, "event");
      mark.style.left = `${(100 * (e.time - this.start)) / (this.end - this.start || 1)}%`;
      mark.title = `${e.name}, t = ${number(e.time)} s`;
    }
    this.clock = element("span", bar, "clock");
    const speed = element("select", bar, "speed");
    speed.setAttribute("aria-label", "speed");
    for (const x of [0.1, 0.25, 0.5, 1, 2, 5]) {
      const option = element("option", speed, "", `${x}×`);
      option.value = String(x);
      option.selected = x === 1;
    }
    speed.addEventListener("change", () => (this.speed = +speed.value));
    this.makeTrails();
    this.makeArrows();
    this.makeReactions();
    for (const p of motion.plots) this.makePlot(p);
    new ResizeObserver(() => this.fit()).observe(plotHost);
    this.seek(this.start);
  }

  private index(time: number): number {
    const t = this.motion.t;
    let lo = 0, hi = t.length - 1;
    while (hi - lo > 1) {
      const mid = (lo + hi) >> 1;
      if (t[mid] <= time) lo = mid; else hi = mid;
    }
    return lo;
  }

  seek(time: number): void {
    const { t, q, steer } = this.motion, k = this.index(time), n = Math.min(k + 1, t.length - 1);
    const share = n > k ? Math.min(1, Math.max(0, (time - t[k]) / (t[n] - t[k] || 1))) : 0;
    const mix = (a: number, b: number) => a + share * (b - a);
    const machine = this.drawing.machine;
    machine.q = blended(machine.scene.bodies.map((b) => b.kind), machine.qStart, q[k], q[n], share);
    const closed = machine.close(machine.q, new Set());
    if (closed) machine.q = closed;
    for (const name in steer ?? {}) this.drawing.steer[name] = mix(steer![name][k], steer![name][n]);
    const tau = this.motion.forces?.tau;
    this.arrows.forEach(({ what, inner, top }, n) => {
      const x = mix(tau![k][n] ?? 0, tau![Math.min(k + 1, tau!.length - 1)][n] ?? 0), share = Math.abs(x) / top;
      what.visible = share > 0.01;
      what.scale.setScalar(0.45 + 0.55 * Math.sqrt(share));
      inner.rotation.x = x < 0 ? Math.PI : 0; // the other way round
    });
    this.react(k, n, share);
    this.time = time;
    this.line.value = String(time);
    this.clock.textContent = `${time.toFixed(2)} s`;
    for (const plot of this.plots) {
      const left = plot.valToPos(time, "x");
      if (Number.isFinite(left)) plot.setCursor({ left, top: plot.cursor.top ?? -10 }, false);
    }
    this.changed();
  }

  toggle(): void {
    if (this.playing) return this.pause();
    if (this.time >= this.end - 1e-9) this.time = this.start;
    this.playing = true;
    this.button.textContent = "❚❚";
    this.last = performance.now();
    const step = (now: number) => {
      if (!this.playing) return;
      let time = this.time + ((now - this.last) / 1000) * this.speed;
      this.last = now;
      if (time >= this.end) time = this.start; // again and again
      this.seek(time);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  pause(): void {
    this.playing = false;
    this.button.textContent = "▶";
  }

  // everything that this motion put on the stage goes
  dispose(): void {
    this.pause();
    this.trails.removeFromParent();
    const { layers } = this.drawing;
    for (const layer of ["forces", "reactions"] as const) {
      for (const box of layers[layer]) box.removeFromParent();
      layers[layer].length = 0;
    }
  }

  // forces of joints, as arrows beside the largest of their unit
  private makeArrows(): void {
    const f = this.motion.forces, { machine, groups, unit, layers } = this.drawing;
    if (!f) return;
    const bodies = machine.scene.bodies, turns = (j: number) => bodies[j].kind !== "prismatic";
    const top = (kind: boolean) => Math.max(1e-12, ...f.tau.flatMap((row) => row.filter((_, n) => turns(f.joints[n]) === kind).map((x) => Math.abs(x ?? 0))));
    const tops: Record<string, number> = { true: top(true), false: top(false) };
    f.joints.forEach((j) => {
      const what = forceArrow(bodies[j].axis ?? [0, 0, 1], turns(j), unit), box = new THREE.Group();
      box.add(what);
      groups[j].add(box);
      layers.forces.push(box);
      this.arrows.push({ what, inner: what.children[0], top: tops[String(turns(j))] });
    });
  }

  // what each joint carries: the force of the parent on the link, in the axes of the link
  private makeReactions(): void {
    const { groups, layers, unit } = this.drawing;
    this.motion.reactions?.bodies.forEach((j) => {
      const arrow = new THREE.ArrowHelper(new THREE.Vector3(0, 0, 1), new THREE.Vector3(), 1, 0x7b3fb5, 1.2 * unit, 0.8 * unit), box = new THREE.Group();
      for (const part of [arrow.line, arrow.cone]) { (part.material as THREE.Material).depthTest = false; part.renderOrder = 5; }
      box.add(arrow);
      groups[j].add(box);
      layers.reactions.push(box);
      this.reactions.push(arrow);
    });
  }

  private react(k: number, n: number, share: number): void {
    const r = this.motion.reactions;
    if (!r) return;
    const longest = 0.35 * this.drawing.machine.scene.size, least = 1.3 * this.drawing.unit;
    this.reactions.forEach((arrow, b) => {
      const f = new THREE.Vector3(...[0, 1, 2].map((i) => (1 - share) * (r.force[k][b][i] ?? 0) + share * (r.force[n][b][i] ?? 0)));
      const size = f.length();
      arrow.visible = size > 1e-3 * r.top;
      if (!arrow.visible) return;
      arrow.setDirection(f.multiplyScalar(1 / size));
      arrow.setLength(least + (longest * size) / r.top, 1.2 * this.drawing.unit, 0.8 * this.drawing.unit);
    });
  }

  // the ways of named frames, or of the last bodies of chains
  private makeTrails(): void {
    const { machine } = this.drawing, s = machine.scene;
    const carried = new Set(s.bodies.map((b) => b.parent));
    let marks: { body: number; point: number[] }[] = s.frames.filter((f) => f.body >= 0).map((f) => ({ body: f.body, point: f.place.slice(9) }));
    if (!marks.length)
      marks = s.bodies.flatMap((b, j) => (carried.has(j) || !b.points.length ? [] : [{ body: j, point: b.points[b.points.length - 1] }]));
    if (s.wheels.length) marks = s.wheels.map((w) => ({ body: w.body, point: w.point }));
    marks = marks.slice(0, 6);
    const paths = marks.map(() => [] as THREE.Vector3[]);
    const every = Math.max(1, Math.floor(this.motion.t.length / 800));
    for (let k = 0; k < this.motion.t.length; k += every) {
      const F = machine.frames(this.motion.q[k]);
      marks.forEach((m, n) => paths[n].push(new THREE.Vector3(...(at(F[m.body], m.point) as [number, number, number]))));
    }
    const r = 0.16 * this.drawing.unit;
    paths.forEach((p, n) => {
      let length = 0;
      for (let k = 1; k < p.length; k++) length += p[k].distanceTo(p[k - 1]);
      if (length < 0.02 * s.size || p.length < 2) return;
      const curve = new THREE.CatmullRomCurve3(p), colors = [0xd8344f, 0x1f9bb5, 0x8c6bd1, 0xd98a1f, 0x5aa02c, 0xc2549d];
      this.trails.add(new THREE.Mesh(
        new THREE.TubeGeometry(curve, Math.min(1200, 3 * p.length), r, 5),
        new THREE.MeshBasicMaterial({ color: colors[n % 6], transparent: true, opacity: 0.8 }),
      ));
    });
  }

  private makePlot(p: Plot): void {
    const host = element("div", this.plotHost, "plot");
    element("div", host, "title", p.unit ? `${p.title} [${p.unit}]` : p.title);
    const css = getComputedStyle(document.documentElement), ink = () => css.getPropertyValue("--soft").trim() || "#667";
    const line = () => css.getPropertyValue("--line").trim() || "#ddd";
    const color = (k: number) => `#${LINKS[k % LINKS.length].toString(16).padStart(6, "0")}`;
    const many = p.names.length > 8;
    host.title = p.names.join(", "); // the legend goes where it has no room
    const series: uPlot.Series[] = [{ label: "t" }];
    // a joint has one colour in all plots, also where a plot leaves out those that rest
    const every = this.motion.plots.map((one) => one.names).reduce((a, b) => (b.length > a.length ? b : a));
    p.names.forEach((label, own) => {
      const k = every.includes(label) ? every.indexOf(label) : own;
      series.push({ label, pxAlign: 0, stroke: color(k), width: many ? 1 : 1.6, dash: k >= LINKS.length ? [6, 3] : undefined });
    });
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: "11px system-ui, sans-serif" };
    const plot = new uPlot(
      {
        width: 300, height: 150, legend: { show: !many && p.names.length > 1, live: true }, scales: { x: { time: false }, y: { range: room } },
        axes: [{ ...axis, size: 28, gap: 3 }, { ...axis, size: 52, gap: 3, space: 24, values: (_, ticks) => ticks.map((x) => number(x)) }],
        series, cursor: { sync: { key: "time" }, y: false, points: { size: 5 } },
        hooks: {
          draw: [(u) => this.marks(u, p)],
          ready: [(u) => {
            const go = (e: MouseEvent) => { if (e.buttons) { this.pause(); this.seek(Math.min(this.end, Math.max(this.start, u.posToVal(u.cursor.left ?? 0, "x")))); } };
            u.over.addEventListener("mousemove", go);
            u.over.addEventListener("mousedown", (e) => setTimeout(() => go(e)));
          }],
        },
      },
      [this.motion.t, ...p.columns] as uPlot.AlignedData, host,
    );
    this.plots.push(plot);
  }

  // limits and events
  private marks(u: uPlot, p: Plot): void {
    const c = u.ctx, { left, top, width, height } = u.bbox;
    c.save();
    c.beginPath();
    c.rect(left, top, width, height);
    c.clip();
    c.setLineDash([4, 4]);
    (p.limits ?? []).forEach((pair, k) => {
      for (const x of pair) {
        if (x === null) continue;
        const y = u.valToPos(x, "y", true);
        c.strokeStyle = `#${LINKS[k % LINKS.length].toString(16).padStart(6, "0")}88`;
        c.beginPath();
        c.moveTo(left, y);
        c.lineTo(left + width, y);
        c.stroke();
      }
    });
    c.strokeStyle = "#d0342caa";
    for (const e of this.motion.events) {
      const x = u.valToPos(e.time, "x", true);
      c.beginPath();
      c.moveTo(x, top);
      c.lineTo(x, top + height);
      c.stroke();
    }
    c.restore();
  }

  fit(): void {
    for (const plot of this.plots) {
      const box = plot.root.parentElement!;
      const wide = plot.series.reduce((sum, one) => sum + 7 * String(one.label).length + 26, 0);
      plot.root.classList.toggle("bare", wide > 2 * box.clientWidth); // more than two lines of names
      const legend = plot.root.querySelector(".u-legend")?.clientHeight ?? 0;
      plot.setSize({ width: Math.max(120, box.clientWidth - 8), height: Math.max(90, box.clientHeight - 26 - legend) });
    }
  }

  redrawPlots(): void {
    for (const plot of this.plots) plot.redraw(false, false);
  }
}

const QUATERNION: Record<string, number> = { spherical: 0, free: 3 };
const SIZES: Record<string, number> = { revolute: 1, prismatic: 1, screw: 1, planar: 3, spherical: 4, free: 7, fixed: 0 };

function blended(kinds: string[], starts: number[], a: number[], b: number[], share: number): number[] {
  const out = a.slice();
  kinds.forEach((kind, j) => {
    const k = starts[j], from = QUATERNION[kind];
    for (let i = 0; i < (from ?? SIZES[kind]); i++) out[k + i] = a[k + i] + share * (b[k + i] - a[k + i]);
    if (from === undefined) return;
    let dot = 0, length = 0;
    for (let i = 0; i < 4; i++) dot += a[k + from + i] * b[k + from + i];
    for (let i = 0; i < 4; i++) {
      const n = k + from + i;
      out[n] = a[n] + share * ((dot < 0 ? -b[n] : b[n]) - a[n]);
      length += out[n] ** 2;
    }
    for (let i = 0; i < 4; i++) out[k + from + i] /= Math.sqrt(length) || 1;
  });
  return out;
}

// what is constant but for rounding is drawn as constant
function room(_: uPlot, low: number | null, high: number | null): uPlot.Range.MinMax {
  if (low === null || high === null) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high)), spread = high - low;
  if (size < 1e-9) return [-1, 1];
  if (spread < 1e-6 * size) return [low - 0.1 * size, high + 0.1 * size];
  return [low - 0.08 * spread, high + 0.08 * spread];
}
