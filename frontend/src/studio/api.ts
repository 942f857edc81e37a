// The jobs of the server. A newer question of a kind makes the older answer void.

export interface Wrong {
  message: string;
  hint?: string;
  line?: number | null;
  column?: number | null;
}

export type Answer<T> = T & { error?: Wrong };

const latest: Record<string, number> = {};

export async function ask<T>(job: string, given: unknown): Promise<Answer<T> | null> {
  const mine = (latest[job] = (latest[job] ?? 0) + 1);
  const response = await fetch(`/api/${job}`, {
    method: "POST", credentials: "same-origin",
    headers: { "Content-Type": "application/json" }, body: JSON.stringify(given),
  });
  const answer = response.ok
    ? ((await response.json()) as Answer<T>)
    : ({ error: { message: `the studio answers ${response.status}` } } as Answer<T>);
  return latest[job] === mine ? answer : null;
}

export function keep(name: string, text: string): void {
  const a = document.createElement("a"), url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  a.href = url;
  a.download = name;
  a.click();
  URL.revokeObjectURL(url);
}
