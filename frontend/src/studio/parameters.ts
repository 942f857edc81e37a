// A slider and a number for each parameter; those that are open may take sample values.

import { element, number } from "../view/panel";

export interface Parameter { name: string; key: string; value: number | null; sample: number | null }
export type Values = Record<string, number>;

export interface Host {
  values: Values; // that differ from the text
  before(values: Values): void; // to come back to
  dragged(): void;
  changed(): void;
}

export class Parameters {
  private shown = "";
  private list: Parameter[] = [];

  constructor(private readonly host: HTMLElement, private readonly page: Host) {}

  show(list: Parameter[], anew = false): void {
    const { page } = this, key = list.map((p) => `${p.key}=${p.value}`).join("\n");
    if (this.shown === key && !anew) return;
    this.shown = key;
    this.list = list;
    this.host.replaceChildren();
    page.values = Object.fromEntries(Object.entries(page.values).filter(([n]) => list.some((p) => p.key === n)));
    if (!list.length) return;
    const box = element("details", this.host, "group");
    box.open = true;
    element("span", element("summary", box, "", "Parameters"), "count", String(list.length));
    if (list.some((p) => p.sample !== null && !(p.key in page.values))) {
      const offer = element("div", box, "tools2 offer");
      element("span", offer, "cost", "Some have no value yet.");
      this.offer(offer);
    }
    for (const p of list.slice(0, 120)) this.row(box, p);
  }

  // a button that gives all open parameters values
  offer(host: HTMLElement): void {
    const b = element("button", host, "", "take sample values");
    b.type = "button";
    b.title = "rods of 0.4 m and 2 kg";
    b.addEventListener("click", () => {
      const { page } = this;
      page.before({ ...page.values });
      for (const p of this.list) if (p.sample !== null) page.values[p.key] ??= p.sample;
      this.again();
      page.changed();
    });
  }

  again(): void {
    this.show(this.list, true);
  }

  private row(host: HTMLElement, p: Parameter): void {
    const { page } = this, line = element("div", host, "row"), now = page.values[p.key] ?? p.value;
    element("label", line, "name", p.name).title = p.name;
    const input = element("input", line), value = element("input", line, "value");
    const usual = p.value ?? p.sample ?? 0.4, size = Math.abs(usual) || 0.4;
    input.type = "range";
    input.step = "any";
    input.min = String(Math.min(usual < 0 ? -2 * size : 0, now ?? 0));
    input.max = String(Math.max(usual < 0 ? 0 : 2.5 * size, now ?? 0));
    input.value = String(now ?? usual);
    input.setAttribute("aria-label", p.name);
    value.type = "text";
    value.inputMode = "decimal";
    const say = () => {
      const x = page.values[p.key] ?? p.value;
      value.value = x === null ? "open" : number(x);
    };
    say();
    value.setAttribute("aria-label", `${p.name}, number`);
    let held = false; // one drag is one step back
    const set = (x: number) => {
      if (!held) page.before({ ...page.values });
      held = true;
      page.values[p.key] = x;
      say();
      page.dragged();
    };
    input.addEventListener("input", () => set(+input.value));
    input.addEventListener("change", () => { held = false; });
    value.addEventListener("change", () => {
      const x = Number.parseFloat(value.value);
      if (Number.isFinite(x)) {
        input.max = String(Math.max(+input.max, x));
        input.min = String(Math.min(+input.min, x));
        input.value = String(x);
        set(x);
      }
      held = false;
      say();
    });
  }
}
