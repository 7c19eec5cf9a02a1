import * as z from "zod/mini";
import { findMismatches, isInRange } from "../../core/domain/deep-match.js";
import type { Vocabulary } from "../../core/domain/name-check.js";
import type { RecordKey } from "../../core/engine/records.js";
import type { WaitCondition, WatchedChanges } from "../../core/namespace/watchers.js";
import type { WAITABLE_SCHEMAS } from "../../core/schema/control-log-responses.js";
import { waitRequestSchema } from "../../core/schema/control-requests.js";
import { getOwn } from "../../core/schema/json-objects.js";
import type { Range } from "../../core/schema/matchers.js";
import { type ErrorDetails, type Refusal, refuse } from "../../core/schema/refusals.js";
import { durationToMs } from "../../core/schema/time.js";
import { loadLazily } from "../../core/time/load-lazily.js";
import { mapInSlices } from "../../core/time/wall-clock.js";
import { RawJson } from "../http/reply.js";
import { type ExpectedFields, type RecordSource, recordSourceOf } from "./candidates.js";
import { defineControlOperation, refuseUnknownNames } from "./control-operation.js";

const DEFAULT_TIMEOUT = "10s";
/** Maximum number of the newest records to search for near misses. */
const MISSES_SEARCHED = 200;
const MISSES_SHOWN = 3;
const MISS_LENGTH = 500;

export const TOO_MANY_WAITS = refuse(
  "RATE_LIMIT_EXCEEDED",
  "Too many calls are already waiting in this namespace",
);

export const WAIT_OPERATIONS = [
  defineControlOperation({
    id: "waitFor",
    call: "POST /_sandbox/wait",
    summary: "Wait for an event",
    description:
      "Returns as soon as there is a matching charge, request or delivery, or when nothing is due and no delivery is in flight. A wait ends when its caller disconnects; a namespace may have 1,000 pending waits.",
    input: waitRequestSchema,
    runsDueTasks: true,
    output: "WaitResult",
    errors: ["WAIT_TIMEOUT", "RATE_LIMIT_EXCEEDED"],
    example: { for: "idle" },
    run: async ({ namespace, input, vocabulary, signal }) => {
      const { for: kind, match = {}, count = 1, timeout = DEFAULT_TIMEOUT } = input;
      const fault = kind === "idle" ? undefined : await impossibleMatch(kind, match, vocabulary);
      if (fault !== undefined) return fault;
      const deadline = { timeoutMs: durationToMs(timeout), signal: signal() };
      if (kind === "idle") {
        const end = await namespace.waitFor(
          { checkAll: () => [], checkChanges: () => [], isMet: () => namespace.isIdle() },
          deadline,
        );
        if (end === "met") return { idle: true as const, now: namespace.clock.view().now };
        return (
          waitError(end, namespace.name) ??
          refuse("WAIT_TIMEOUT", `Not idle within ${timeout}: something is due or a delivery is in flight`)
        );
      }
      const candidates = recordSourceOf(namespace, kind);
      const watch = new RecordWatch(candidates, match, count);
      const end = await namespace.waitFor(watch, deadline);
      if (end === "met") return new RawJson(JSON.stringify(watch.newest()));
      const progress =
        count === 1
          ? ""
          : ` (${watch.found} of ${typeof count === "number" ? count : JSON.stringify(count)})`;
      return (
        waitError(end, namespace.name) ??
        refuse(
          "WAIT_TIMEOUT",
          `No ${kind} matched within ${timeout}${progress}`,
          await nearestMisses(candidates, match),
        )
      );
    },
  }),
];

async function impossibleMatch(
  kind: keyof typeof WAITABLE_SCHEMAS,
  match: Readonly<Record<string, unknown>>,
  vocabulary: Vocabulary,
): Promise<Refusal | undefined> {
  const schemas = await loadLazily(() => import("../../core/schema/control-log-responses.js"));
  const schema = z.object({ match: schemas.WAITABLE_SCHEMAS[kind] });
  return refuseUnknownNames(schema, { match }, { vocabulary, rejectsUnknownFields: true });
}

function waitError(end: string, namespace: string): Refusal | undefined {
  if (end === "crowded") return TOO_MANY_WAITS;
  return end === "closed" ? refuse("NOT_FOUND", `There is no namespace "${namespace}"`) : undefined;
}

/** Counts matching records until the number that the wait expects is reached. */
class RecordWatch implements WaitCondition {
  readonly #candidates: RecordSource<object>;
  readonly #match: ExpectedFields;
  readonly #count: number | Range;
  readonly #direct: readonly { readonly expected: unknown; readonly read: (item: object) => unknown }[];
  /** Expected values of fields that must be read from the result of `candidates.view`. */
  readonly #viewed: Readonly<Record<string, unknown>>;
  #matching = new Map<RecordKey, object>();

  constructor(candidates: RecordSource<object>, match: ExpectedFields, count: number | Range) {
    this.#candidates = candidates;
    this.#match = match;
    this.#count = count;
    const fields = Object.entries(match).map(([field, expected]) => ({
      field,
      expected,
      read: getOwn(candidates.fields, field),
    }));
    this.#direct = fields.flatMap(({ read, expected }) => (read === undefined ? [] : [{ read, expected }]));
    this.#viewed = Object.fromEntries(
      fields.filter(({ read }) => read === undefined).map(({ field, expected }) => [field, expected]),
    );
  }

  *checkAll(): Generator<undefined, void> {
    this.#matching = new Map();
    for (const item of this.#candidates.possibleMatches(this.#match)) {
      this.#note(this.#candidates.key(item), item);
      yield;
    }
  }

  *checkChanges(news: WatchedChanges): Generator<undefined, void> {
    for (const [key, item] of this.#candidates.changed(news)) {
      this.#note(key, item, news.views);
      yield;
    }
  }

  #note(key: RecordKey, item: object | undefined, views?: Map<object, object>): void {
    if (item !== undefined && this.#matches(item, views)) this.#matching.set(key, item);
    else this.#matching.delete(key);
  }

  #matches(item: object, views: Map<object, object> | undefined): boolean {
    for (const { expected, read } of this.#direct)
      if (findMismatches(expected, read(item)).length > 0) return false;
    if (Object.keys(this.#viewed).length === 0) return true;
    let fullView = views?.get(item);
    if (fullView === undefined) {
      fullView = this.#candidates.view(item);
      views?.set(item, fullView);
    }
    return findMismatches(this.#viewed, fullView).length === 0;
  }

  isMet(): boolean {
    const range = typeof this.#count === "number" ? { gte: this.#count } : this.#count;
    return isInRange(range, this.#matching.size);
  }

  get found(): number {
    return this.#matching.size;
  }

  newest(): Record<string, unknown> {
    const { order, view } = this.#candidates;
    return view([...this.#matching.values()].reduce((a, b) => (order(b) > order(a) ? b : a)));
  }
}

/** Error details that list the nearest misses; undefined if there are none. */
async function nearestMisses(
  { newest, key, view }: RecordSource<object>,
  match: ExpectedFields,
): Promise<ErrorDetails | undefined> {
  const compared = await mapInSlices(newest(MISSES_SEARCHED), (record) => ({
    key: key(record),
    faults: findMismatches(match, view(record)),
  }));
  const ranked = compared
    .filter(({ faults }) => faults.length > 0)
    .sort((a, b) => a.faults.length - b.faults.length)
    .slice(0, MISSES_SHOWN);
  if (ranked.length === 0) return undefined;
  return Object.fromEntries(
    ranked.map(({ key, faults }) => [
      String(key),
      faults
        .map(
          ({ path, expected, actual, why }) =>
            `${path} is ${excerpt(actual)}, not ${excerpt(expected)}${why === undefined ? "" : ` (${why})`}`,
        )
        .join("; "),
    ]),
  );
}

function excerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? "absent";
  return text.length <= MISS_LENGTH ? text : `${text.slice(0, MISS_LENGTH)}…`;
}
