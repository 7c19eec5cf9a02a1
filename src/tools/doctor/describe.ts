import type { Answer } from "../../core/schema/receiver-report.js";

const SNIPPET_LENGTH = 60;

/** What came back, in a line. */
export function describe(answers: readonly Answer[]): string {
  if (answers.length === 0) return "not sent";
  const items = new Map<string, Answer[]>();
  for (const answer of answers) items.set(answer.sent, [...(items.get(answer.sent) ?? []), answer]);
  if (items.size === 1) return inTurn(answers);
  if (items.size > 6 || answers.every((answer) => answer.kind === "accepted")) return crowd(answers);
  return [...items].map(([sent, attempts]) => `${sent}: ${inTurn(attempts)}`).join("; ");
}

/** The same thing, as often as it was sent. */
function inTurn(attempts: readonly Answer[]): string {
  const isSame = new Set(attempts.map(({ status, error }) => status ?? error)).size === 1;
  if (!isSame) return attempts.map(one).join(", then ");
  return `${one(attempts.at(-1)!)}${attempts.length === 1 ? "" : ` (${attempts.length} times)`}`;
}

/** One answer: its status and time, where it leads, its first words. */
export function one({ status, duration_ms, location, body, error }: Answer): string {
  if (status === null) return error ?? "no answer";
  const leads = location === null ? "" : ` to ${printable(location)}`;
  const words = printable(body).trim();
  const snippet = words.length > SNIPPET_LENGTH ? `${words.slice(0, SNIPPET_LENGTH)}…` : words;
  return `${status}${leads} in ${duration(duration_ms)}${snippet === "" ? "" : `, "${snippet}"`}`;
}

/** Many answers: how often which, to what where it is the rarer one, and the slowest. */
function crowd(answers: readonly Answer[]): string {
  const groups = new Map<string, string[]>();
  for (const { status, error, sent } of answers) {
    const what = status === null ? (error ?? "no answer") : String(status);
    groups.set(what, [...(groups.get(what) ?? []), sent]);
  }
  const slowest = Math.max(...answers.map((answer) => answer.duration_ms));
  const most = Math.max(...[...groups.values()].map(({ length }) => length));
  const parts = [...groups].map(([what, to]) => {
    const names = new Set(to.filter((name) => !/^\d+ of \d+$/.test(name)));
    const isRare = to.length < most && names.size > 0;
    return `${to.length} × ${what}${isRare ? ` (${[...names].join(", ")})` : ""}`;
  });
  return `${parts.join(", ")}; the slowest in ${duration(slowest)}`;
}

function duration(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** What a receiver says must not steer the terminal it is shown on. */
function printable(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, " ");
}
