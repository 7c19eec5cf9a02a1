import type { Answer } from "./report.js";

const SNIPPET_LENGTH = 60;

/** What came back, in a line. */
export function describe(answers: readonly Answer[]): string {
  const [first, ...rest] = answers;
  if (first === undefined) return "not sent";
  if (rest.length === 0) return one(first);
  if (answers.length > 6 || answers.every((answer) => answer.kind === "accepted")) return crowd(answers);
  const texts = answers.map((answer) => `${answer.sent}: ${one(answer)}`);
  return texts.join("; ");
}

/** One answer: its status and time, where it leads, its first words. */
export function one({ status, duration_ms, location, body, error }: Answer): string {
  if (status === null) return error ?? "no answer";
  const leads = location === null ? "" : ` to ${printable(location)}`;
  const words = printable(body).trim();
  const snippet = words.length > SNIPPET_LENGTH ? `${words.slice(0, SNIPPET_LENGTH)}…` : words;
  return `${status}${leads} in ${duration(duration_ms)}${snippet === "" ? "" : `, "${snippet}"`}`;
}

/** Many answers: how often which, and the slowest. */
function crowd(answers: readonly Answer[]): string {
  const counts = new Map<string, number>();
  for (const { status, error } of answers) {
    const what = status === null ? (error ?? "no answer") : String(status);
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const slowest = Math.max(...answers.map((answer) => answer.duration_ms));
  const parts = [...counts].map(([what, count]) => `${count} × ${what}`);
  return `${parts.join(", ")}; the slowest in ${duration(slowest)}`;
}

function duration(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** What a receiver says must not steer the terminal it is shown on. */
function printable(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, " ");
}
