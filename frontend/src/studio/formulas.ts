// The equations, typeset and foldable; a formula under the mouse lights up its links.

import { element } from "../view/panel";
import { typeset } from "./typeset";

export interface Row { name: string; latex: string; text: string; terms: number; joints: number[] }
export interface Equations {
  groups: { kind: string; title: string; rows: Row[]; asked: boolean }[];
  constants: { name: string; text: string }[];
  cut: boolean;
}

const folded = new Set<string>(["B", "C"]);
export const unfolded = () => ["Q", "A", "B", "C"].filter((k) => !folded.has(k));
const terms = (n: number) => `${n} term${n === 1 ? "" : "s"}`;

const LEFT: Record<string, (n: string) => string> = {
  Q: (n) => `Q_{${n.replace(/\D+/g, " ").trim()}}`,
  A: (n) => `A_{${n.replace(/[^\d,]+/g, "")}}`,
  B: (n) => `B_{${n.replace(/[^\d,]+/g, "")}}`,
  C: (n) => `C_{${n.replace(/[^\d,]+/g, "")}}`,
};

interface Line { latex: string; row: HTMLElement; math: HTMLElement; done: boolean }

let lines = new Map<string, Line>(); // by the name of the entry: what did not change stays as it is
let waiting = 0; // of the lines below the screen

// roughly: the column breaks a formula after so many characters
const height = (latex: string) => 12 + 25 * Math.ceil(latex.length / 95);

function finish(l: Line): void {
  if (l.done) return;
  l.done = true;
  l.math.innerHTML = typeset(l.latex); // known signs alone, else KaTeX, which escapes and trusts nothing
}

// What is on the screen is typeset at once, the rest a few milliseconds at a time.
function typesetLines(host: HTMLElement, all: Line[]): void {
  const column = host.parentElement!, top = column.scrollTop - 300, bottom = column.scrollTop + column.clientHeight;
  let y = 0;
  for (const l of all) {
    const next = y + height(l.latex);
    if (next > top && y < bottom) finish(l);
    y = next;
  }
  clearTimeout(waiting);
  const rest = all.filter((l) => !l.done), slice = () => {
    const until = performance.now() + 8;
    while (rest.length && performance.now() < until) finish(rest.shift()!);
    if (rest.length) waiting = window.setTimeout(slice, 12);
  };
  waiting = window.setTimeout(slice, 60);
}

export function showEquations(host: HTMLElement, eq: Equations, light: (joints: number[] | null) => void, more: () => void): void {
  const total = eq.groups.reduce((n, g) => n + g.rows.reduce((m, r) => m + r.terms, 0), 0);
  const before = lines, parts: HTMLElement[] = [], shown: Line[] = [];
  lines = new Map();
  const head = element("p", null, "cost", `${terms(total)} shown`);
  element("span", head, "operations");
  parts.push(head);
  const lineOf = (kind: string, r: Row, k: number): Line => {
    const latex = r.latex ? (LEFT[kind] ? `${LEFT[kind](r.name)} = ${r.latex}` : r.latex) : `text ${r.text}`, key = `${kind} ${r.name} ${LEFT[kind] ? "" : k}`;
    let found = before.get(key);
    if (!found || found.latex !== latex) {
      const row = element("div", null, "formula"), math = element("div", row, "math");
      found = { latex, row, math, done: !r.latex };
      if (!r.latex) element("code", math, "", `${r.name} = ${r.text}`);
      row.style.containIntrinsicHeight = `auto ${height(latex)}px`; // until it has been on the screen
      element("span", row, "terms", String(r.terms)).title = terms(r.terms);
      row.addEventListener("pointerenter", () => light(r.joints));
      row.addEventListener("pointerleave", () => light(null));
    }
    lines.set(key, found);
    return found;
  };
  for (const g of eq.groups) {
    const box = element("details", null, "group");
    box.open = !folded.has(g.kind);
    const head = element("summary", box, "", LEFT[g.kind] ? `${g.kind}  ${g.title}` : g.title);
    element("span", head, "count", !LEFT[g.kind] ? `${g.rows.length}` : g.asked ? `${g.rows.length} not zero, ${terms(g.rows.reduce((n, r) => n + r.terms, 0))}` : "derived when opened");
    const own = g.rows.map((r, k) => lineOf(g.kind, r, k));
    box.append(...own.map((l) => l.row));
    if (box.open) shown.push(...own);
    box.addEventListener("toggle", () => {
      if (!box.open) folded.add(g.kind);
      else if (folded.delete(g.kind) && !g.asked) more();
      else own.forEach(finish);
    });
    parts.push(box);
  }
  if (eq.constants.length) {
    const box = element("details", null, "group");
    element("summary", box, "", "constants");
    for (const c of eq.constants) element("code", element("div", box, "formula"), "", `${c.name} = ${c.text}`);
    parts.push(box);
  }
  if (eq.cut) parts.push(element("p", null, "cost", "the rest is left out: dalembert derive prints all"));
  host.replaceChildren(...parts);
  typesetLines(host, shown);
}

export function showCost(host: HTMLElement, cost: Record<string, string>): void {
  const place = host.querySelector(".operations");
  if (place) place.textContent = cost.step ? ` · inverse dynamics costs ${cost.step.replace("sincos", "sin/cos")}` : "";
}
