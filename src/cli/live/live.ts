import { failureText, nextTryIn, receiverText } from "../../core/reports/delivery-text.js";
import type {
  Activity,
  AttemptActivity,
  CreatedObject,
  RequestActivity,
  TransitionActivity,
} from "../../core/schema/activity-events.js";
import { isSuccessStatus } from "../../core/schema/http-response.js";
import { groupDigits, toPrintableLine } from "../../core/schema/text-format.js";
import { pause } from "../../core/time/timers.js";
import type { Sandbox } from "../../library/sandbox.js";
import { valueStyle } from "../table.js";
import { isOutputBacklogged, printText, terminalWidth } from "../terminal.js";
import {
  cutMiddle,
  GAP,
  paint,
  reasonLines,
  SEPARATOR,
  type Style,
  type StyledText,
} from "../text-layout.js";
import { keysHint, listenToKeys } from "./keys.js";

/** How often lines are printed. Batches keep a slow terminal from blocking the server. */
const INTERVAL_MS = 100;
/** Activities per interval that are printed; the rest is counted. */
const LINES_MAX = 60;
/** Attempts per interval that fail alike from which on one line stands for all. */
const ALIKE_MIN = 3;

/** Prints the sandbox's activities on a terminal, and acts on keys. */
export class ActivityPrinter {
  #waiting: (() => Activity)[] = [];
  #leftOut = 0;
  #isScheduled = false;
  #day: string | undefined;
  #release: (() => void) | undefined;

  /** Queues an activity for printing. Activities that are not printed are never built. */
  readonly queue = (build: () => Activity): void => {
    if (this.#waiting.length < LINES_MAX) this.#waiting.push(build);
    else this.#leftOut++;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    void pause(INTERVAL_MS).then(() => this.flush());
  };

  async begin(sandbox: Sandbox, quit: () => void): Promise<void> {
    this.#release = await listenToKeys({ sandbox, quit, print: (text) => this.#print(text) });
    if (this.#release !== undefined) printText(`${keysHint()}\n`);
  }

  end(): void {
    this.#release?.();
    this.flush();
  }

  #print(text: string): void {
    this.flush();
    printText(text);
  }

  /** Prints the queued activities. If the terminal is too slow, counts them and prints their number later. */
  flush(): void {
    this.#isScheduled = false;
    const waiting = this.#waiting.splice(0);
    if (isOutputBacklogged()) {
      this.#leftOut += waiting.length;
      return;
    }
    const activities = waiting.map((build) => build());
    const alike = new Map<unknown, Activity[]>();
    for (const one of activities) alike.set(kindOf(one), [...(alike.get(kindOf(one)) ?? []), one]);
    const lines = activities.flatMap((activity) => {
      const { length, 0: first } = alike.get(kindOf(activity))!;
      if (length < ALIKE_MIN) return this.#linesOf(activity, 1);
      return activity === first ? this.#linesOf(activity, length) : [];
    });
    if (this.#leftOut > 0)
      lines.push(
        paint(
          "dim",
          `            … and ${this.#leftOut.toLocaleString("en")} more, too many to show; see npx payments-sandbox charges`,
        ),
      );
    this.#leftOut = 0;
    if (lines.length > 0) printText(`${lines.join("\n")}\n`);
  }

  #linesOf(activity: Activity, count: number): string[] {
    const day = activity.at.slice(0, 10);
    const isNew = this.#day !== undefined && this.#day !== day;
    this.#day = day;
    return [...(isNew ? [paint("dim", `  ${day}`)] : []), ...activityLines(activity, terminalWidth(), count)];
  }
}

/** The same text for attempts that fail alike at one receiver in one second; other activities are their own kind. */
function kindOf(activity: Activity): unknown {
  if (activity.kind !== "attempt" || isSuccessStatus(activity.status)) return activity;
  const { namespace, at, target, next_attempt_at, isHeld } = activity;
  return [namespace, at.slice(0, 19), target, next_attempt_at === null, isHeld, failureText(activity)].join(
    " ",
  );
}

const SERVICE = "/api/v1";
/** Minimum number of columns to show whole ids. */
const WIDE = 120;
const WIDE_CALL = 28;
const NARROW_CALL = 25;
/** Characters of a receiver's URL that remain on a narrow terminal. */
const RECEIVER_MIN = 8;

/** An activity in parts: the reason is wrapped if it is too long, and followed by `end`. */
interface Parts {
  readonly head: readonly StyledText[];
  readonly reason?: StyledText;
  readonly end?: StyledText;
}

const NOTHING: StyledText = [undefined, ""];

/** The lines of an activity, or of `count` alike, cut to `columns`. Omits the namespace `default`. */
export function activityLines(activity: Activity, columns: number, count = 1): string[] {
  const time = `  ${activity.at.slice(11, 19)}  `;
  const namespace = activity.namespace === "default" ? "" : `${toPrintableLine(activity.namespace)}  `;
  const isWide = columns >= WIDE;
  const {
    head,
    reason = NOTHING,
    end = NOTHING,
  } = activity.kind === "attempt"
    ? attemptParts(activity, columns - time.length - namespace.length, isWide, count)
    : activity.kind === "request"
      ? requestParts(activity, isWide)
      : transitionParts(activity, isWide);
  const start: StyledText[] = [
    ["dim", time],
    ["cyan", namespace],
  ];
  return reasonLines([...start, ...head], reason, end, time.length, columns);
}

function requestParts(request: RequestActivity, isWide: boolean): Parts {
  const { method, status, unanswered, fault, error, made, runner } = request;
  const path = request.path.startsWith(`${SERVICE}/`) ? request.path.slice(SERVICE.length) : request.path;
  const call = toPrintableLine(`${method} ${isWide ? path : shortIds(path)}`);
  return {
    head: [
      [undefined, `${call.padEnd(isWide ? WIDE_CALL : NARROW_CALL)}  `],
      [statusStyle(status), status === null ? unanswered! : String(status)],
      ...gapped("yellow", fault && `fault ${isWide ? fault : shortIds(fault)}`),
      ...gapped(undefined, made && createdText(made, isWide)),
    ],
    reason: [statusStyle(status), toPrintableLine(error ?? "")],
    end: gapped("dim", isWide && runner !== null ? `(${runner})` : null)[0] ?? NOTHING,
  };
}

function createdText({ id, amount, currency, customer_email }: CreatedObject, isWide: boolean): string {
  const price = amount === null ? currency : `${currency ?? ""} ${groupDigits(amount)}`;
  return [isWide ? id : shortIds(id), price, customer_email].filter((part) => part !== null).join("  ");
}

function transitionParts({ id, status, reason, by }: TransitionActivity, isWide: boolean): Parts {
  const style = valueStyle("status", status);
  return {
    head: [
      [undefined, `${isWide ? id : shortIds(id)}  `],
      [style, status],
    ],
    reason: [style, toPrintableLine(reason ?? "")],
    end: gapped("dim", by)[0] ?? NOTHING,
  };
}

function attemptParts(attempt: AttemptActivity, room: number, isWide: boolean, count: number): Parts {
  const { at, type, id, copy, status, target, next_attempt_at } = attempt;
  const object = id === null ? "" : `${isWide ? id : shortIds(id)}  `;
  const one = toPrintableLine(`→ ${type}  ${object}${copy === undefined ? "" : `${copy}  `}`);
  const start = count === 1 ? one : `${count} webhooks → `;
  const receiver = cutMiddle(
    receiverText(target),
    Math.max(RECEIVER_MIN, room - start.length - "  200".length),
  );
  const head: StyledText[] = [[undefined, start + toPrintableLine(receiver)]];
  if (isSuccessStatus(status)) return { head: [...head, ...gapped("green", String(status))] };
  if (attempt.isHeld) return { head: [...head, ...gapped("yellow", "held")] };
  const next = nextTryIn(next_attempt_at, Date.parse(at)).replaceAll("\u00a0", " ");
  return {
    head,
    reason: ["red", toPrintableLine(failureText(attempt))],
    end: ["yellow", SEPARATOR + next],
  };
}

function gapped(style: Style | undefined, text: string | null): StyledText[] {
  return text === null || text === "" ? [] : [[style, GAP + toPrintableLine(text)]];
}

/** Shortens ids, as in `ch_31c2…`. */
function shortIds(text: string): string {
  return text.replace(/\b([a-z]{2,4}_[0-9a-f]{4})[0-9a-f]{4,}/g, "$1…");
}

function statusStyle(status: number | null): Style {
  if (status === null || status >= 500) return "red";
  return status >= 400 ? "yellow" : "green";
}
