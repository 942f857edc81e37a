// The equations, typeset and foldable; a formula under the mouse lights up its links.

import katex from "katex";
import { element } from "../view/panel";

export interface Row { name: string; latex: string; text: string; terms: number; joints: number[] }
export interface Equations {
  groups: { kind: string; title: string; rows: Row[]; asked: boolean }[];
  constants: { name: string; text: string }[];
  cost: Record<string, string>;
  cut: boolean;
}

const folded = new Set<string>(["B", "C"]);
export const unfolded = () => ["Q", "A", "B", "C"].filter((k) => !folded.has(k));
const kept = new Map<string, string>(); // typeset text by its LaTeX

function typeset(latex: string): string {
  let html = kept.get(latex);
  if (html === undefined) {
    // brackets of fixed size: a line may break between them, so that a long formula stays in its column
    const loose = latex.replaceAll("\\left(", "\\bigl(").replaceAll("\\right)", "\\bigr)");
    html = katex.renderToString(loose, { throwOnError: false, trust: false, output: "html", maxSize: 20, maxExpand: 1000, strict: "ignore" });
    if (kept.size > 4000) kept.clear();
    kept.set(latex, html);
  }
  return html;
}

const LEFT: Record<string, (n: string) => string> = {
  Q: (n) => `Q_{${n.replace(/\D+/g, " ").trim()}}`,
  A: (n) => `A_{${n.replace(/[^\d,]+/g, "")}}`,
  B: (n) => `B_{${n.replace(/[^\d,]+/g, "")}}`,
  C: (n) => `C_{${n.replace(/[^\d,]+/g, "")}}`,
};

export function showEquations(host: HTMLElement, eq: Equations, light: (joints: number[] | null) => void, more: () => void): void {
  host.replaceChildren();
  const total = eq.groups.reduce((n, g) => n + g.rows.reduce((m, r) => m + r.terms, 0), 0);
  element("p", host, "cost", `${total} terms shown · inverse dynamics: ${eq.cost.step ?? ""}`);
  for (const g of eq.groups) {
    const box = element("details", host, "group");
    box.open = !folded.has(g.kind);
    const head = element("summary", box, "", `${g.kind}  ${g.title}`);
    element("span", head, "count", g.asked ? `${g.rows.length} not zero, ${g.rows.reduce((n, r) => n + r.terms, 0)} terms` : "derived when opened");
    const fill = () => {
      if (box.dataset.full) return;
      box.dataset.full = "1";
      for (const r of g.rows) {
        const line = element("div", box, "formula"), math = element("div", line, "math");
        // KaTeX escapes what it typesets and trusts nothing
        if (r.latex) math.innerHTML = typeset(`${LEFT[g.kind](r.name)} = ${r.latex}`);
        else element("code", math, "", `${r.name} = ${r.text}`);
        element("span", line, "terms", String(r.terms)).title = `${r.terms} terms`;
        line.addEventListener("pointerenter", () => light(r.joints));
        line.addEventListener("pointerleave", () => light(null));
      }
    };
    if (box.open) fill();
    box.addEventListener("toggle", () => {
      if (!box.open) folded.add(g.kind);
      else if (folded.delete(g.kind) && !g.asked) more();
      else fill();
    });
  }
  if (eq.constants.length) {
    const box = element("details", host, "group");
    element("summary", box, "", "constants");
    for (const c of eq.constants) element("code", element("div", box, "formula"), "", `${c.name} = ${c.text}`);
  }
  if (eq.cut) element("p", host, "cost", "the rest is left out: dalembert derive prints all");
}
