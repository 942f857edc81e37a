// A smaller model: terms by their share of the force, struck by hand or pruned, with the proven error.

import { element, number } from "../view/panel";
import { ask, told, waiting, type Wrong } from "./api";

interface Term { name: string; text: string; share: number; force: number; joints: number[] }
interface Size { terms: number; cost: string; operations: number }
export interface Reduced { before: Size; after: Size; joints: { joint: string; error: number; share: number | null }[]; definite: string }

export interface Choice { strike: string[]; tolerance: number; operations: number; qd: number; qdd: number }
export const nothing = (): Choice => ({ strike: [], tolerance: 0, operations: 0, qd: 1.5, qdd: 4 });
export const reduces = (c: Choice): boolean => c.strike.length > 0 || c.tolerance > 0 || c.operations > 0;

export interface Host {
  choice: Choice;
  given(more?: Record<string, unknown>): Record<string, unknown>;
  light(joints: number[] | null): void;
  changed(): void; // what was struck, so that the equations follow
  refused(host: HTMLElement, wrong: Wrong): void;
}

const percent = (x: number | null) => (x === null ? "–" : `${number(100 * x, 3)} %`);

function slide(host: HTMLElement, label: string, top: number): { input: HTMLInputElement; said: HTMLElement } {
  const line = element("label", host, "slide");
  element("span", line, "name", label);
  const input = element("input", line), said = element("span", line, "value");
  input.type = "range";
  input.min = "0";
  input.max = String(top);
  input.step = "any";
  input.setAttribute("aria-label", label);
  return { input, said };
}

export function reduceTab(host: HTMLElement, page: Host): void {
  const c = page.choice, both = element("div", host, "reduce"), left = element("div", both), rows = element("div", both, "terms-list");
  const rate = (label: string, key: "qd" | "qdd", unit: string) => {
    const line = element("label", left, "rate"), input = element("input", (element("span", line, "name", label), line));
    input.type = "number";
    input.value = String(c[key]);
    input.setAttribute("aria-label", label);
    element("span", line, "unit", unit);
    input.addEventListener("change", () => { if (+input.value > 0) { c[key] = +input.value; void list().then((ok) => { if (ok) void prove(); }); } });
  };
  rate("speeds to", "qd", "rad/s");
  rate("accelerations to", "qdd", "rad/s²");
  const tolerance = slide(left, "leave out up to", 1), budget = slide(left, "operations at most", 1);
  const result = element("div", left, "result");
  let most = 0, timer = 0;
  // the slider is a logarithm: 0 nothing, then 0.05 % to 30 %
  const share = (x: number) => (x < 0.02 ? 0 : 5e-4 * Math.pow(600, x));
  const say = () => {
    tolerance.said.textContent = c.tolerance ? percent(c.tolerance) : "nothing";
    budget.said.textContent = c.operations ? String(c.operations) : "any number";
  };
  const later = () => { say(); clearTimeout(timer); timer = window.setTimeout(() => void prove(), 300); };
  tolerance.input.value = String(c.tolerance ? Math.log(c.tolerance / 5e-4) / Math.log(600) : 0);
  budget.input.value = "1";
  tolerance.input.addEventListener("input", () => { c.tolerance = share(+tolerance.input.value); c.operations = 0; budget.input.value = "1"; later(); });
  budget.input.addEventListener("input", () => {
    const x = +budget.input.value;
    c.operations = x > 0.98 || !most ? 0 : Math.max(1, Math.round(x * most));
    c.tolerance = 0;
    tolerance.input.value = "0";
    later();
  });
  const prove = async () => {
    const done = waiting(result, "proving");
    const r = await ask<Reduced>("reduce", page.given({ ...c }));
    done();
    if (!r) return;
    result.replaceChildren();
    if (r.error) { element("p", result, "cost bad", told(r.error)); return; }
    most = r.before.operations;
    if (c.operations) budget.input.value = String(c.operations / most);
    const some = reduces(c);
    element("p", result, "cost", some
      ? `${r.after.terms} of ${r.before.terms} terms are left: ${r.after.cost}, instead of ${r.before.cost}.${r.definite ? ` Inertia matrix positive definite: ${r.definite}.` : ""}`
      : `${r.before.terms} terms: ${r.before.cost}. Nothing is left out yet.`);
    if (!some) return;
    const table = element("table", result, "errors"), head = element("tr", table);
    for (const w of ["joint", "proven error", "of its peak"]) element("th", head, "", w);
    for (const j of r.joints) {
      const row = element("tr", table);
      element("td", row, "", j.joint);
      element("td", row, "", number(j.error, 3));
      element("td", row, "", percent(j.share));
    }
  };
  const list = async () => {
    const done = waiting(rows, "deriving");
    const r = await ask<{ rows: Term[]; count: number }>("terms", page.given({ qd: c.qd, qdd: c.qdd }));
    done();
    if (!r) return false;
    rows.replaceChildren();
    left.hidden = !!r.error;
    if (r.error) { page.refused(rows, r.error); return false; }
    const head = element("div", rows, "term head");
    for (const w of ["", "term", "clear a box to strike its term", "", "share"]) element("span", head, "", w);
    for (const t of r.rows) {
      const line = element("label", rows, "term"), box = element("input", line);
      box.type = "checkbox";
      box.checked = !c.strike.includes(t.name);
      box.setAttribute("aria-label", `keep ${t.name}`);
      line.classList.toggle("struck", !box.checked);
      element("span", line, "name", t.name);
      element("code", line, "", t.text);
      const meter = element("span", line, "meter");
      element("i", meter).style.width = `${Math.min(100, 100 * t.share)}%`;
      element("span", line, "value", percent(t.share));
      box.addEventListener("change", () => {
        c.strike = c.strike.filter((n) => n !== t.name);
        if (!box.checked) c.strike.push(t.name);
        line.classList.toggle("struck", !box.checked);
        page.changed();
        later();
      });
      line.addEventListener("pointerenter", () => page.light(t.joints));
      line.addEventListener("pointerleave", () => page.light(null));
    }
    if (r.count > r.rows.length) element("p", rows, "cost", `the ${r.count - r.rows.length} smallest terms are not listed`);
    return true;
  };
  say();
  void list().then((ok) => { if (ok) void prove(); });
}
