import { formatDuration } from "../../schema/duration.js";
import type {
  AttemptHappened,
  Happening,
  MadeObject,
  RequestHappened,
  TransitionHappened,
} from "../../schema/happening.js";
import { oneLine } from "../../schema/printable.js";
import { STATUSES } from "../../schema/statuses.js";
import { fitted, type Part } from "../fit.js";
import type { Style } from "../paint.js";

const SERVICE = "/api/v1";
/** From so many columns on there is room for whole ids. */
const WIDE = 120;
const CALL_WIDTH = 28;
/** Between two pieces. */
const GAP = 2;

/** A happening in a line of at most that width; the namespace is told where it is not the default one. */
export function happeningLine(happening: Happening, columns: number): string {
  const { at, namespace } = happening;
  const head: Part[] = [
    ["dim", `  ${at.slice(11, 19)}  `],
    ...(namespace === "default" ? [] : [["cyan", `${oneLine(namespace)}  `] satisfies Part]),
  ];
  const room = columns - head.reduce((sum, [, text]) => sum + text.length, 0);
  return fitted([...head, ...partsOf(happening, room, columns >= WIDE)], columns);
}

function partsOf(happening: Happening, room: number, isWide: boolean): Part[] {
  switch (happening.kind) {
    case "request":
      return requestParts(happening, isWide);
    case "transition":
      return transitionParts(happening, isWide);
    case "attempt":
      return attemptParts(happening, room);
  }
}

function requestParts(request: RequestHappened, isWide: boolean): Part[] {
  const { method, status, unanswered, fault, error, made, runner } = request;
  const path = request.path.startsWith(`${SERVICE}/`) ? request.path.slice(SERVICE.length) : request.path;
  return [
    [undefined, `${oneLine(`${method} ${isWide ? path : shortIds(path)}`).padEnd(CALL_WIDTH)}  `],
    [statusStyle(status), status === null ? unanswered! : String(status)],
    ...told("yellow", fault && `fault ${isWide ? fault : shortIds(fault)}`),
    ...told(statusStyle(status), error),
    ...told(undefined, made && madeText(made, isWide)),
    ...told("dim", isWide && runner !== null ? `(${runner})` : null),
  ];
}

function madeText({ id, amount, currency, customer_email }: MadeObject, isWide: boolean): string {
  const price = amount === null ? currency : `${currency ?? ""} ${amount}`;
  return [isWide ? id : shortIds(id), price, customer_email].filter((part) => part !== null).join("  ");
}

function transitionParts({ id, status, reason, by }: TransitionHappened, isWide: boolean): Part[] {
  return [
    [undefined, `${isWide ? id : shortIds(id)}  `],
    [toneOf(status), status],
    ...told(toneOf(status), reason),
    ...told("dim", by && `(${by})`),
  ];
}

function attemptParts(attempt: AttemptHappened, room: number): Part[] {
  const { type, status, error, response_body } = attempt;
  const isTaken = status !== null && status >= 200 && status < 300;
  const head = `→ ${type}  ${attempt.target.replace(/^http:\/\//, "")}  `;
  const answer = String(status ?? error ?? "no response");
  const next = isTaken ? "" : nextTry(attempt);
  // What the app says gets the room that is left, for when it is tried again must not be cut off.
  const left = room - head.length - answer.length - (next === "" ? 0 : next.length + GAP) - GAP;
  const said = isTaken ? "" : (response_body ?? "").replace(/\s+/g, " ").trim();
  return [
    [undefined, oneLine(head)],
    [isTaken ? "green" : "red", oneLine(answer)],
    ...(left > 4 ? told(undefined, cut(said, left)) : []),
    ...told("yellow", next),
  ];
}

function nextTry({ at, next_attempt_at }: AttemptHappened): string {
  if (next_attempt_at === null) return "no retry left";
  const waitMs = Math.max(0, Date.parse(next_attempt_at) - Date.parse(at));
  return `retry in ${formatDuration(waitMs < 1_000 ? waitMs : Math.round(waitMs / 1_000) * 1_000)}`;
}

function told(style: Style | undefined, text: string | null): Part[] {
  return text === null || text === "" ? [] : [[style, " ".repeat(GAP) + oneLine(text)]];
}

/** As much of a text as there is room for. */
function cut(text: string, room: number): string {
  return text.length > room ? `${text.slice(0, room - 1)}…` : text;
}

/** `ch_31c2…` for whoever has not the room for an id. */
function shortIds(text: string): string {
  return text.replace(/\b([a-z]{2,4}_[0-9a-f]{4})[0-9a-f]{4,}/g, "$1…");
}

function statusStyle(status: number | null): Style {
  if (status === null || status >= 500) return "red";
  return status >= 400 ? "yellow" : "green";
}

/** A withdrawal's statuses that are a charge's too mean the same. */
function toneOf(status: string): Style {
  const { tone } = (STATUSES as Readonly<Record<string, { tone?: "good" | "bad" }>>)[status] ?? {};
  return tone === "good" ? "green" : tone === "bad" ? "red" : "cyan";
}
