// The panel beside the stage: sliders, switches, remarks. All text enters as text.

import type { Control, Machine } from "./kinematics";
import type { Layer } from "./machine";

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, parent: HTMLElement | null, className = "", text = "",
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  parent?.appendChild(made);
  return made;
}

export function number(x: number, digits = 3): string {
  if (x === 0 || Math.abs(x) < 1e-9) return "0";
  const a = Math.abs(x);
  return a >= 1e5 || a < 1e-3 ? x.toExponential(2) : String(+x.toFixed(Math.max(0, digits - Math.max(0, Math.floor(Math.log10(a))))));
}

interface Row {
  control: Control;
  input: HTMLInputElement;
  value: HTMLInputElement;
  line: HTMLElement;
}

export class Sliders {
  private readonly rows: Row[] = [];
  degrees = true;

  constructor(host: HTMLElement, private readonly machine: Machine, private readonly changed: () => void) {
    const s = machine.scene, all = machine.controls();
    const motors = new Set(s.active), longest = Math.max(0, ...all.map((c) => c.label.length));
    host.style.setProperty("--name", `${longest}ch`); // room for names that differ only at their ends
    const driven = all.filter((c) => motors.has(c.body));
    const groups: [string, Control[], boolean][] =
      driven.length && driven.length < all.length
        ? [["Motors", driven, true], ["Other joints", all.filter((c) => !motors.has(c.body)), driven.length > 6 ? false : all.length <= 14]]
        : [["Joints", all, true]];
    for (const [title, controls, open] of groups) {
      const box = element("details", host, "group");
      box.open = open;
      const head = element("summary", box, "", title);
      element("span", head, "count", String(controls.length));
      for (const c of controls) this.rows.push(this.row(box, c));
    }
  }

  private row(host: HTMLElement, control: Control): Row {
    const line = element("div", host, "row");
    const name = element("label", line, "name", control.label);
    name.title = control.label;
    const input = element("input", line);
    input.type = "range";
    input.step = "any";
    input.setAttribute("aria-label", control.label);
    input.dataset.joint = control.label;
    const size = this.machine.scene.size, now = this.machine.value(control);
    const reach = control.unit === "rad" ? Math.PI : Math.max(0.5 * size, 1.5 * Math.abs(now));
    const low = control.low ?? Math.min(-reach, now), high = control.high ?? Math.max(reach, now);
    input.min = String(Math.max(low, control.unit === "rad" ? -4 * Math.PI : -1e9));
    input.max = String(Math.min(high, control.unit === "rad" ? 4 * Math.PI : 1e9));
    const value = element("input", line, "value");
    value.type = "text";
    value.inputMode = "decimal";
    value.setAttribute("aria-label", `${control.label}, number`);
    const row = { control, input, value, line };
    input.addEventListener("input", () => this.go(row, +input.value));
    input.addEventListener("dblclick", () => this.go(row, 0));
    value.addEventListener("change", () => {
      const given = Number.parseFloat(value.value);
      const scale = control.unit === "rad" && this.degrees ? Math.PI / 180 : 1;
      if (Number.isFinite(given)) this.go(row, given * scale);
      else this.refresh();
    });
    return row;
  }

  private go(row: Row, value: number): void {
    const arrived = this.machine.move(row.control, value);
    row.line.classList.toggle("stuck", !arrived);
    row.line.title = arrived ? "" : "the loops cannot be closed any further this way";
    this.changed();
  }

  refresh(): void {
    for (const { control, input, value, line } of this.rows) {
      const x = this.machine.value(control);
      if (document.activeElement !== input || line.classList.contains("stuck")) input.value = String(x);
      const scale = control.unit === "rad" && this.degrees ? 180 / Math.PI : 1;
      const unit = control.unit === "m" ? " m" : this.degrees ? "°" : "";
      if (document.activeElement !== value) value.value = number(x * scale, control.unit === "m" ? 3 : this.degrees ? 1 : 3) + unit;
      const out = (control.low !== null && x < control.low - 1e-9) || (control.high !== null && x > control.high + 1e-9);
      line.classList.toggle("out", out);
    }
  }
}

export function switches(
  host: HTMLElement, layers: [Layer | "names" | "trails" | "plots", string, boolean][],
  set: (layer: Layer | "names" | "trails" | "plots", on: boolean) => void,
): void {
  const box = element("div", host, "switches");
  for (const [layer, text, on] of layers) {
    const button = element("button", box, on ? "on" : "", text);
    button.type = "button";
    button.setAttribute("aria-pressed", String(on));
    button.dataset.layer = layer;
    set(layer, on);
    button.addEventListener("click", () => {
      const now = button.classList.toggle("on");
      button.setAttribute("aria-pressed", String(now));
      set(layer, now);
    });
  }
}
