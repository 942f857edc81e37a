// The formalisms side by side: what each costs, and how well they agree.

import { element } from "../view/panel";
import { ask, told, waiting } from "./api";

interface Row { quantity: string; method: string; mul: number; add: number; div: number; sincos: number }
interface Compared {
  rows: Row[];
  agree: { quantity: string; formalisms: string[]; worst: (number | null)[][]; limit: number; ok: boolean }[];
  notes: string[];
}

export async function compareTab(host: HTMLElement, given: () => Record<string, unknown>): Promise<void> {
  const done = waiting(element("div", host), "comparing");
  const r = await ask<Compared>("formalisms", given());
  done();
  if (!r) return;
  const line = element("p", host, "cost");
  if (r.error) { line.textContent = told(r.error); return; }
  const wrong = r.agree.filter((a) => !a.ok).map((a) => a.quantity);
  const worst = Math.max(0, ...r.agree.flatMap((a) => a.worst.flat()).filter((x): x is number => x !== null));
  line.textContent = wrong.length ? `they do not agree on ${wrong.join(", ")}` : `all agree at 20 random states, to ${worst.toExponential(1)} of the largest value`;
  line.classList.toggle("bad", wrong.length > 0);
  const table = element("table", host, "errors"), head = element("tr", table);
  for (const w of ["quantity", "formalism", "×", "+", "÷", "sin and cos"]) element("th", head, "", w);
  const least: Record<string, number> = {};
  for (const row of r.rows) least[row.quantity] = Math.min(least[row.quantity] ?? Infinity, row.mul + row.add);
  let before = "";
  for (const row of r.rows) {
    const cells = element("tr", table, row.mul + row.add === least[row.quantity] ? "best" : "");
    for (const x of [row.quantity === before ? "" : row.quantity, row.method, row.mul, row.add, row.div, row.sincos]) element("td", cells, "", String(x));
    before = row.quantity;
  }
  for (const n of r.notes) element("p", host, "cost", n);
}
