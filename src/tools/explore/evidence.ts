import { formatDuration } from "../../core/schema/duration.js";
import type { Observed } from "./deviable.js";
import type { ExploreFinding, ExploreSingle } from "./exploration.js";
import { type Schedule, scheduleText } from "./schedule.js";

/** Collects from every run what the report shows besides the findings. */
export class Evidence {
  /** Every single deviation tried, with its outcome. */
  readonly singles: ExploreSingle[] = [];
  readonly #plain: readonly string[];
  /** Calls that the app repeats blindly, each with the first schedule that showed it. */
  readonly #blind = new Map<string, Schedule>();

  constructor(plain: Observed) {
    this.#plain = timelineOf(plain);
  }

  add(schedule: Schedule, observed: Observed, outcome: ExploreSingle["outcome"]): void {
    const [first] = schedule;
    if (schedule.length === 1) this.singles.push({ kind: first!.kind, at: first!.at, outcome });
    const operation = blindRepeat(observed);
    if (operation !== undefined && !this.#blind.has(operation)) this.#blind.set(operation, schedule);
  }

  storyOf(observed: Observed): NonNullable<ExploreFinding["story"]> {
    return { plain: this.#plain, failing: timelineOf(observed) };
  }

  /** Notes on bad client practice; none where a finding of the money oracle reports its effect. */
  practiceNotes(findings: readonly ExploreFinding[]): string[] {
    if (findings.some(({ oracle }) => oracle === "money")) return [];
    return [...this.#blind].map(
      ([operation, schedule]) =>
        `manners: ${scheduleText(schedule)}: the app calls ${operation} again without checking the outcome of the first call`,
    );
  }
}

/** Operations that move money at once: a second call is a second payment. */
const MONEY_OPERATIONS = ["createWhitelabel", "createWithdrawal"];

/** Finds an operation that the app repeated without checking the unknown outcome of the first call. */
export function blindRepeat({ calls }: Observed): string | undefined {
  const open = new Set<string>();
  for (const { operation, method, status, isByFlow } of calls) {
    if (isByFlow) continue;
    if (method === "GET") open.clear();
    else if (open.has(operation)) return operation;
    else if (MONEY_OPERATIONS.includes(operation) && (status === null || status >= 500)) open.add(operation);
  }
  return undefined;
}

/** Lists the events of a run, a line each in order. Ids and absolute times are left out, so that two runs can be compared. */
export function timelineOf({ calls, deliveries, charges }: Observed): string[] {
  const own = calls.filter(({ isByFlow }) => !isByFlow);
  const events = [
    ...own.map(({ operation, status, atMs }) => ({
      atMs,
      text: `calls ${operation} ${status ?? "no answer"}`,
    })),
    ...charges.flatMap(({ history }, index) => {
      const number = charges.length > 1 ? ` ${index + 1}` : "";
      return history.map(({ status, atMs }) => ({ atMs, text: `charge${number} is ${status}` }));
    }),
    ...deliveries.flatMap(({ type, attempts }) =>
      attempts.map(({ atMs, status }) => ({
        atMs,
        text: `webhook ${type} → ${status ?? "no response"}`,
      })),
    ),
  ];
  const startMs = Math.min(...events.map(({ atMs }) => atMs));
  // Simultaneous events keep the order above: their real order is a race.
  return [...events]
    .sort((one, other) => one.atMs - other.atMs)
    .map(({ atMs, text }) => `+${formatDuration(Math.round((atMs - startMs) / 1_000) * 1_000)} ${text}`);
}
