// Formulas as HTML. The few signs of closed forms are set here, with three elements for a symbol where
// KaTeX needs sixteen and a table; everything else is set by KaTeX. The fonts are the same.

import katex from "katex";

const kept = new Map<string, string>(); // by their LaTeX

// letters are italic, digits upright
const letters = (text: string) => text.replace(/[A-Za-z]+/g, "<i>$&</i>");
const SYMBOL = /^(?:([A-Za-z])|\\mathit\{([A-Za-z]+)\})(?:_\{([A-Za-z0-9,]+)\})?(?:\^\{(\d+)\})?/;
const SIGNS: [RegExp, string][] = [
  [/^\\,/, "\u00a0"], [/^\\left\(|^\(/, "<b>(</b>"], [/^\\right\)|^\)/, "<b>)</b>"],
  [/^\s+/, ""], [/^\d+(?:\.\d+)?/, "$&"],
];

function script(index: string | undefined, power: string | undefined): string {
  const below = index ? `<sub>${letters(index)}</sub>` : "";
  if (!power) return below;
  // an exponent stands above the index: it goes back by as many digits, and what follows stands behind both
  const after = index ? Math.max(0, index.length - power.length) : 0;
  return `${below}<sup${index ? ` style="margin:0 ${after}ch 0 -${index.length}ch"` : ""}>${power}</sup>`;
}

// The formula in plain elements, null where it has a sign that is not known here.
export function plain(latex: string): string | null {
  let html = "", rest = latex, operand = false; // whether a sign now stands between two terms
  while (rest) {
    const sign = /^[+\-=]/.exec(rest);
    if (sign) {
      const mark = sign[0] === "-" ? "\u2212" : sign[0];
      html += operand ? `\u00a0${mark} ` : mark; // a line may end after it
      operand = false;
      rest = rest.slice(1);
      continue;
    }
    const symbol = SYMBOL.exec(rest);
    if (symbol) {
      const [all, one, many, index, power] = symbol;
      if (power && index && !/^\d+$/.test(index)) return null; // letters are not all of one width
      html += `<i>${one ?? many}</i>${script(index, power)}`;
      operand = true;
      rest = rest.slice(all.length);
      continue;
    }
    const found = SIGNS.find(([like]) => like.test(rest));
    if (!found) return null;
    const text = found[0].exec(rest)![0];
    html += found[1] === "$&" ? text : found[1];
    if (!/^\s+$/.test(text)) operand = !text.endsWith("(") && (operand || text !== "\\,");
    rest = rest.slice(text.length);
  }
  return `<span class="set">${html}</span>`;
}

export function typeset(latex: string): string {
  let html = kept.get(latex);
  if (html === undefined) {
    // brackets of fixed size: a line may break between them, so that a long formula stays in its column
    const loose = latex.replaceAll("\\left(", "\\bigl(").replaceAll("\\right)", "\\bigr)");
    html = plain(latex)
      ?? katex.renderToString(loose, { throwOnError: false, trust: false, output: "html", maxSize: 20, maxExpand: 1000, strict: "ignore" });
    if (kept.size > 4000) kept.clear();
    kept.set(latex, html);
  }
  return html;
}
