// The names of joints and frames beside what they name: inside the picture, none upon another.

import { at, type Machine } from "./kinematics";
import { element } from "./panel";
import type { Vec } from "./scene";
import { vector } from "./shapes";
import type { Stage } from "./stage";

const JOINTS = 120, FRAMES = 40; // more names than these are no help
const HIGH = 18; // pixels of one label

interface Label {
  text: HTMLElement;
  body: number;
  point: Vec;
  width: number;
}

export class Labels {
  on = false;
  private readonly all: Label[] = [];
  private readonly box: HTMLElement;

  constructor(host: HTMLElement, private readonly machine: Machine, private readonly stage: Stage) {
    this.box = element("div", host, "labels");
    this.box.hidden = true;
    const { bodies, frames } = machine.scene;
    bodies.slice(0, JOINTS).forEach((b, body) => {
      if (!b.hidden && b.kind !== "fixed") this.add("", b.joint, body, [0, 0, 0]);
    });
    for (const f of frames.slice(0, FRAMES)) this.add("frame", f.name, f.body, f.place.slice(9));
  }

  private add(kind: string, name: string, body: number, point: Vec): void {
    this.all.push({ text: element("span", this.box, kind, name), body, point, width: 0 });
  }

  place(): void {
    this.box.hidden = !this.on;
    if (!this.on) return;
    const frames = this.machine.frames(), { clientWidth: W, clientHeight: H } = this.stage.renderer.domElement;
    const taken: [number, number, number][] = []; // left, top, width
    const free = (x: number, y: number, w: number) =>
      taken.every(([a, b, c]) => x >= a + c || x + w <= a || Math.abs(y - b) >= HIGH);
    for (const l of this.all) {
      const p = l.body < 0 ? l.point : at(frames[l.body], l.point), [x, y, ahead] = this.stage.project(vector(p));
      l.text.hidden = !ahead || x < 0 || y < 0 || x > W || y > H;
      if (l.text.hidden) continue;
      l.width ||= l.text.offsetWidth;
      const w = l.width, inside = (a: number, b: number): [number, number] => [Math.max(2, Math.min(W - w - 2, a)), Math.max(2, Math.min(H - HIGH - 2, b))];
      // to the right and above, else the nearest place that is free
      const places: [number, number][] = [];
      for (let k = 0; k < 6; k++)
        for (const [a, b] of [[x + 8, y - 20 - k * HIGH], [x + 8, y + 4 + k * HIGH], [x - 8 - w, y - 20 - k * HIGH], [x - 8 - w, y + 4 + k * HIGH]])
          places.push(inside(a, b));
      const [a, b] = places.find(([a, b]) => free(a, b, w)) ?? places[0];
      taken.push([a, b, w]);
      l.text.style.transform = `translate(${a}px, ${b}px)`;
    }
  }
}
