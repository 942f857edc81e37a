// The description, with what is wrong underlined where it is wrong.

import { defaultKeymap, history, historyKeymap, isolateHistory, undo, undoDepth } from "@codemirror/commands";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import type { Wrong } from "./api";

export class Editor {
  private readonly view: EditorView;

  constructor(host: HTMLElement, text: string, changed: (undone: boolean) => void) {
    this.view = new EditorView({
      parent: host,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(), history(), drawSelection(), highlightActiveLine(), lintGutter(), EditorView.lineWrapping,
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.contentAttributes.of({ "aria-label": "description of the machine" }),
          EditorView.updateListener.of((u) => { if (u.docChanged) changed(u.transactions.some((t) => t.isUserEvent("undo"))); }),
        ],
      }),
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  set text(value: string) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: value }, selection: { anchor: 0 }, scrollIntoView: true, annotations: isolateHistory.of("full") });
  }

  // how often undo has something to take back
  get steps(): number {
    return undoDepth(this.view.state);
  }

  undo(): void {
    undo(this.view);
  }

  mark(wrong: Wrong | undefined): void {
    const doc = this.view.state.doc;
    if (!wrong) return this.view.dispatch(setDiagnostics(this.view.state, []));
    const line = doc.line(Math.max(1, Math.min(doc.lines, wrong.line ?? 1)));
    const from = Math.min(line.to, line.from + Math.max(0, (wrong.column ?? 1) - 1));
    const to = Math.max(from, Math.min(line.to, from + 1));
    this.view.dispatch(setDiagnostics(this.view.state, [{ from: from === to ? Math.max(line.from, from - 1) : from, to, severity: "error", message: wrong.message }]));
  }
}
