// A Denavit-Hartenberg table as a grid. It writes the text of the table, which the studio reads.

import { element } from "../view/panel";

const COLUMNS = ["sigma", "alpha", "d", "theta", "r", "m", "cx", "cy", "cz", "Ixx", "Iyy", "Izz"];
const FIRST = [["0", "0", "0", "", "0.3", "4", "0", "0", "-0.1", "0.02", "0.02", "0.01"], ["0", "90deg", "0", "", "0", "3", "0.2", "0", "0", "0.01", "0.05", "0.05"]];

const cells = (line: string) => line.split(",").map((c) => c.trim());

// The table that a text holds: lines before the names of columns, the names, the rows.
function parsed(text: string): { before: string[]; columns: string[]; rows: string[][] } | null {
  const lines = text.split(/\r?\n/).filter((l) => l.trim() && !l.trim().startsWith("#"));
  const k = lines.findIndex((l) => cells(l).includes("alpha"));
  if (k < 0 || lines.some((l) => l.includes('"'))) return null;
  return { before: lines.slice(0, k), columns: cells(lines[k]), rows: lines.slice(k + 1).map(cells) };
}

export function grid(host: HTMLElement, text: string, write: (text: string) => void): void {
  const found = parsed(text) ?? { before: ["robot,arm", "convention,modified"], columns: COLUMNS, rows: FIRST.map((r) => r.slice()) };
  const tell = () => write([...found.before, found.columns.join(","), ...found.rows.map((r) => r.join(","))].join("\n") + "\n");
  const draw = () => {
    host.replaceChildren();
    const table = element("table", host, "dh"), head = element("tr", table);
    element("th", head);
    for (const c of found.columns) element("th", head, "", c);
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
  };
  draw();
  if (!parsed(text)) tell();
}
