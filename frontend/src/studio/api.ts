// The jobs of the server. A newer question of a kind makes the older answer void.

export interface Wrong {
  message: string;
  hint?: string;
  line?: number | null;
  column?: number | null;
}

export type Answer<T> = T & { error?: Wrong };

const latest: Record<string, number> = {};
const running: Record<string, Promise<unknown>> = {};
let leaving: Promise<unknown> = Promise.resolve();

// Of questions asked faster than they are answered only the newest is sent.
export async function askNewest<T>(job: string, given: unknown): Promise<Answer<T> | null> {
  const mine = (latest[job] = (latest[job] ?? 0) + 1);
  while (running[job]) await running[job].catch(() => null);
  if (latest[job] !== mine) return null;
  const answer = ask<T>(job, given);
  running[job] = answer;
  try {
    return await answer;
  } finally {
    delete running[job];
  }
}

export async function ask<T>(job: string, given: unknown): Promise<Answer<T> | null> {
  const mine = (latest[job] = (latest[job] ?? 0) + 1);
  if (job !== "cancel") await leaving;
  const response = await fetch(`/api/${job}`, {
    method: "POST", credentials: "same-origin",
    headers: { "Content-Type": "application/json" }, body: JSON.stringify(given),
  });
  const answer = response.ok
    ? ((await response.json()) as Answer<T>)
    : ({ error: { message: `the studio answers ${response.status}` } } as Answer<T>);
  return latest[job] === mine ? answer : null;
}

let busy = 0; // jobs that somebody waits for

// long work of a tab that was left ends, before anything else is asked
export function leave(): void {
  if (busy) leaving = ask("cancel", {});
}

export const told = (wrong: Wrong): string => [wrong.message, wrong.hint].filter(Boolean).join(" — ");

// what is shown while a long job runs: the seconds, how far it is where it says so, and a way to end it
export function waiting(host: HTMLElement, word: string): () => void {
  const began = performance.now(), line = document.createElement("p"), bar = document.createElement("progress");
  const box = document.createElement("div"), stop = document.createElement("button");
  box.className = "tools2 waiting";
  stop.type = "button";
  stop.textContent = "cancel";
  stop.addEventListener("click", () => { stop.disabled = true; void ask("cancel", {}); });
  line.className = "cost";
  bar.hidden = true;
  bar.max = 1;
  box.append(line, bar, stop);
  host.replaceChildren(box);
  busy++;
  const look = async () => {
    line.textContent = `${word} … ${((performance.now() - began) / 1000).toFixed(1)} s`;
    const r = await fetch("/api/progress", { credentials: "same-origin" });
    const part = r.ok ? ((await r.json()) as { part: number | null }).part : null;
    bar.hidden = part === null;
    if (part !== null) bar.value = part;
  };
  line.textContent = `${word} …`;
  const clock = window.setInterval(() => { if (host.isConnected) void look(); }, 400);
  return () => { busy--; clearInterval(clock); box.remove(); };
}

// a line above what a panel shows, with the seconds, from a quarter of a second on
export function deriving(host: HTMLElement, word: string): () => void {
  const began = performance.now(), line = document.createElement("p");
  line.className = "cost deriving";
  line.setAttribute("role", "status");
  const clock = window.setInterval(() => {
    line.textContent = `${word} … ${((performance.now() - began) / 1000).toFixed(1)} s`;
    if (!host.querySelector(".deriving")) host.prepend(line); // one is enough
  }, 250);
  return () => { clearInterval(clock); line.remove(); };
}

export function keep(name: string, text: string): void {
  const a = document.createElement("a"), url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  a.href = url;
  a.download = name;
  a.click();
  URL.revokeObjectURL(url);
}
