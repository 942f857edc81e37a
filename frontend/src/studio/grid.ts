// A Denavit-Hartenberg table as a grid. It writes the text of the table, which the studio reads.

import { element } from "../view/panel";
import { ask, told } from "./api";

const COLUMNS = ["sigma", "alpha", "d", "theta", "r", "m", "cx", "cy", "cz", "Ixx", "Iyy", "Izz"];
const FIRST = [["0", "0", "0", "", "0.3", "4", "0", "0", "-0.1", "0.02", "0.02", "0.01"], ["0", "90deg", "0", "", "0", "3", "0.2", "0", "0", "0.01", "0.05", "0.05"]];

const FIRST_HEAD = "robot,arm\nconvention,modified";
const cells = (line: string) => line.split(",").map((c) => c.trim());

// The table that a text holds: lines before the names of columns, the names, the rows.
export function parsed(text: string): { before: string[]; columns: string[]; rows: string[][] } | null {
  const lines = text.split(/\r?\n/).filter((l) => l.trim() && !l.trim().startsWith("#"));
  const k = lines.findIndex((l) => cells(l).includes("alpha"));
  if (k < 0 || lines.some((l) => l.includes('"'))) return null;
  return { before: lines.slice(0, k), columns: cells(lines[k]), rows: lines.slice(k + 1).map(cells) };
}

const UNITS: Record<string, string> = { alpha: "rad, or 90deg", theta: "rad, or 90deg; empty for the joint angle", gamma: "rad, or 90deg", d: "m", r: "m", b: "m", sigma: "0 turns, 1 slides, 2 fixed", m: "kg", cx: "m", cy: "m", cz: "m", Ixx: "kg m²", Iyy: "kg m²", Izz: "kg m²" };

// The grid of a description. One that is no table is made into one, where that is possible.
export async function grid(host: HTMLElement, given: Record<string, unknown>, write: (text: string) => void): Promise<void> {
  const text = String(given.text);
  if (parsed(text)) return cellsOf(host, text, write);
  host.replaceChildren(element("p", null, "cost", "…"));
  const r = await ask<{ text: string }>("table", given);
  if (!r) return;
  if (!r.error) { write(r.text); return cellsOf(host, r.text, write, "Frames beyond the last joint, and limits of speed and force, have no place in a table. Undo brings the text back."); }
  host.replaceChildren(element("p", null, "cost", `This machine is no table: ${told(r.error)}.`));
  const fresh = element("button", element("div", host, "tools2"), "", "begin a new table"), first = [FIRST_HEAD, COLUMNS.join(","), ...FIRST.map((row) => row.join(","))].join("\n") + "\n";
  fresh.type = "button";
  fresh.addEventListener("click", () => { write(first); cellsOf(host, first, write); });
}

function cellsOf(host: HTMLElement, text: string, write: (text: string) => void, note = ""): void {
  const found = parsed(text)!;
  const tell = () => write([...found.before, found.columns.join(","), ...found.rows.map((r) => r.join(","))].join("\n") + "\n");
  const draw = () => {
    host.replaceChildren();
    const table = element("table", host, "dh"), head = element("tr", table);
    element("th", head);
    for (const c of found.columns) element("th", head, "", c).title = UNITS[c] ?? "";
    found.rows.forEach((row, i) => {
      const line = element("tr", table);
      element("th", line, "", String(i + 1));
      found.columns.forEach((column, k) => {
        const input = element("input", element("td", line));
        input.value = row[k] ?? "";
        input.setAttribute("aria-label", `${column} of row ${i + 1}`);
        // a comma would begin another cell
        input.addEventListener("input", () => { row[k] = input.value.replace(/[,"\n]/g, ""); tell(); });
      });
    });
    const bar = element("div", host, "tools2");
    const button = (words: string, act: () => void) => {
      const b = element("button", bar, "", words);
      b.type = "button";
      b.addEventListener("click", () => { act(); draw(); tell(); });
    };
    button("add a row", () => found.rows.push(found.columns.map((c) => (c === "theta" ? "" : "0"))));
    if (found.rows.length > 1) button("remove the last", () => found.rows.pop());
    if (note) element("p", host, "cost", note);
  };
  draw();
}
