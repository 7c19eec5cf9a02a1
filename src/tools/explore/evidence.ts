import { formatDuration } from "../../core/schema/time.js";
import { type Deviation, type DeviationSet, deviationKey, deviationSetText } from "./deviation-set.js";
import type { ExploreFinding, ExploreSingle } from "./exploration.js";
import type { ObservedRun } from "./run-record.js";

/** Collects the outcomes of single deviations and the app's repeated calls, for the report. */
export class Evidence {
  /** Outcome of each single deviation; that of the last run if the deviation was tried again. */
  readonly #singles = new Map<string, ExploreSingle>();
  readonly #plain: readonly string[];
  /** Repeated operation → first set that caused the repeat. In `safe`, both calls have the same Idempotency-Key. */
  readonly #repeats = { blind: new Map<string, DeviationSet>(), safe: new Map<string, DeviationSet>() };

  constructor(plain: ObservedRun) {
    this.#plain = describeRunEvents(plain);
  }

  add(set: DeviationSet, observed: ObservedRun, outcome: ExploreSingle["outcome"]): void {
    if (set.length === 1) this.addSingle(set[0]!, outcome);
    const repeat = findRepeat(observed);
    const known = repeat && this.#repeats[repeat.isSafe ? "safe" : "blind"];
    if (known?.has(repeat!.operation) === false) known.set(repeat!.operation, set);
  }

  addSingle({ kind, at }: Deviation, outcome: ExploreSingle["outcome"]): void {
    this.#singles.set(deviationKey({ kind, at }), { kind, at, outcome });
  }

  get singles(): ExploreSingle[] {
    return [...this.#singles.values()];
  }

  storyOf(observed: ObservedRun): NonNullable<ExploreFinding["story"]> {
    return { plain: this.#plain, failing: describeRunEvents(observed) };
  }

  /** Describes the `blind` repeats. Returns an empty list if there is a `money` finding. */
  badPractice(
    findings: readonly ExploreFinding[],
  ): { readonly message: string; readonly set: DeviationSet }[] {
    if (findings.some(({ oracle }) => oracle === "money")) return [];
    return [...this.#repeats.blind].map(([operation, set]) => ({
      set,
      message: `the app calls ${operation} again without checking the outcome of the first call`,
    }));
  }

  goodPractice(): string[] {
    return [...this.#repeats.safe].map(
      ([operation, set]) =>
        `good practice: ${deviationSetText(set)}: the app calls ${operation} again with the same Idempotency-Key`,
    );
  }
}

/** Operations that move money immediately: a second call is a second payment. */
const MONEY_OPERATIONS = ["createWhitelabel", "createWithdrawal"];
/** Operations that take an Idempotency-Key. */
const KEYED_OPERATIONS = ["createWithdrawal"];

interface Repeat {
  readonly operation: string;
  /** The calls have the same Idempotency-Key, so the service carries out only one. */
  readonly isSafe: boolean;
}

/** Finds an operation that the app repeated without checking the unknown outcome of the first call. */
export function findRepeat({ calls }: ObservedRun): Repeat | undefined {
  const open = new Map<string, string | undefined>();
  let safe: Repeat | undefined;
  for (const { operation, method, status, isByFlow, idempotencyKey } of calls) {
    if (isByFlow) continue;
    if (method === "GET") open.clear();
    else if (open.has(operation)) {
      const isSafe =
        KEYED_OPERATIONS.includes(operation) &&
        idempotencyKey !== undefined &&
        open.get(operation) === idempotencyKey;
      if (!isSafe) return { operation, isSafe };
      safe ??= { operation, isSafe };
      if (status !== null && status < 500) open.delete(operation);
    } else if (MONEY_OPERATIONS.includes(operation) && (status === null || status >= 500))
      open.set(operation, idempotencyKey);
  }
  return safe;
}

/** Lists the events of a run in order, one line each, without ids and absolute times, which differ between runs. */
export function describeRunEvents({ calls, deliveries, charges }: ObservedRun): string[] {
  const own = calls.filter(({ isByFlow }) => !isByFlow);
  const events = [
    ...own.map(({ operation, status, atMs }) => ({
      atMs,
      text: `calls ${operation} ${status ?? "no response"}`,
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
  // Simultaneous events keep the order of the list, because their real order differs between runs.
  return [...events]
    .sort((one, other) => one.atMs - other.atMs)
    .map(({ atMs, text }) => `${formatDuration(Math.round((atMs - startMs) / 1_000) * 1_000)} ${text}`);
}
