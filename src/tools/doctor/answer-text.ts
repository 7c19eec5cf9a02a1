import type { Answer } from "../../core/schema/receiver-report.js";

const SNIPPET_LENGTH = 60;

/** The answers of a probe in one line. */
export function answersText(answers: readonly Answer[]): string {
  if (answers.length === 0) return "not sent";
  const items = new Map<string, Answer[]>();
  for (const answer of answers) items.set(answer.sent, [...(items.get(answer.sent) ?? []), answer]);
  if (items.size === 1) return attemptsText(answers);
  if (items.size > 6 || answers.every((answer) => answer.kind === "accepted")) return summaryText(answers);
  return [...items].map(([sent, attempts]) => `${sent}: ${attemptsText(attempts)}`).join("; ");
}

/** Attempts at one request. */
function attemptsText(attempts: readonly Answer[]): string {
  const isSame = new Set(attempts.map(({ status, error }) => status ?? error)).size === 1;
  if (!isSame) return attempts.map(answerText).join(", then ");
  return `${answerText(attempts.at(-1)!)}${attempts.length === 1 ? "" : ` (${attempts.length} times)`}`;
}

/** Status, redirect target, duration and start of the body. */
function answerText({ status, duration_ms, location, body, error }: Answer): string {
  if (status === null) return error ?? "no answer";
  const target = location === null ? "" : ` to ${printable(location)}`;
  const text = printable(body).trim();
  const snippet = text.length > SNIPPET_LENGTH ? `${text.slice(0, SNIPPET_LENGTH)}…` : text;
  return `${status}${target} in ${duration(duration_ms)}${snippet === "" ? "" : `, "${snippet}"`}`;
}

/** Counts per status, the requests behind rarer ones, and the slowest duration. */
function summaryText(answers: readonly Answer[]): string {
  const groups = new Map<string, string[]>();
  for (const { status, error, sent } of answers) {
    const outcome = status === null ? (error ?? "no answer") : String(status);
    groups.set(outcome, [...(groups.get(outcome) ?? []), sent]);
  }
  const slowest = Math.max(...answers.map((answer) => answer.duration_ms));
  const most = Math.max(...[...groups.values()].map(({ length }) => length));
  const parts = [...groups].map(([outcome, requests]) => {
    const names = new Set(requests.filter((name) => !/^\d+ of \d+$/.test(name)));
    const isRare = requests.length < most && names.size > 0;
    return `${requests.length} × ${outcome}${isRare ? ` (${[...names].join(", ")})` : ""}`;
  });
  return `${parts.join(", ")}; the slowest in ${duration(slowest)}`;
}

function duration(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** Removes control characters, which could steer the terminal. */
function printable(text: string): string {
  return text.replace(/[\p{C}\s]+/gu, " ");
}
