import { isRecord } from "../files/documents.js";
import { isMatcherWord } from "../schema/matcher-words.js";
import { type Lesson, observedName } from "./compile.js";
import type { Flow } from "./flow.js";
import type { Carried } from "./runs.js";
import type { SeenCharge } from "./seen.js";

/** What stands for the id of a run in its file. */
const RUN_ID = `\${run.id}`;

/** What two plain runs have in common is what every run has to come to. */
export function lessonOf(flow: Flow, one: Carried, other: Carried): Lesson {
  const [charge] = one.seen.charges;
  const { runId } = one.loaded;
  const isTold = charge?.email.includes(runId) ?? false;
  const whose = isTold
    ? { customer_email: charge!.email.replaceAll("*", "\\*").replaceAll(runId, RUN_ID) }
    : {};
  const named = namedOrder(one);
  const all = isTold ? { match: whose, charges: ownedBy(charge!, one) } : named;
  return {
    whose,
    order: all?.match ?? {},
    completed: completedOf(all?.charges ?? one.seen.charges),
    ...(named === undefined ? {} : { named: { match: named.match, completed: completedOf(named.charges) } }),
    observed: flow.observe.map(({ ignore = [] }, index) => {
      const [first, second] = [one, other].map((run) => observedIn(run, index));
      return inCommon(first, second, ignore) ?? { exists: true };
    }),
  };
}

function ownedBy({ email }: SeenCharge, { seen }: Carried): readonly SeenCharge[] {
  return seen.charges.filter((one) => one.email === email);
}

interface Matching {
  readonly match: Readonly<Record<string, unknown>>;
  readonly charges: readonly SeenCharge[];
}

/** The charges with the order's own name in their metadata, as far as the flow knows it. */
function namedOrder({ seen, loaded }: Carried): Matching | undefined {
  const [charge] = seen.charges;
  const known = loaded.scope.names.map((name) => [name, savedAs(loaded, name)] as const);
  const named = Object.entries(charge?.metadata ?? {}).flatMap(([key, value]) => {
    const name = known.find(([, own]) => own !== "" && String(own) === value)?.[0];
    return name === undefined ? [] : [{ key, value, reference: `\${${name}}` }];
  });
  if (named.length === 0) return undefined;
  return {
    match: { metadata: Object.fromEntries(named.map(({ key, reference }) => [key, reference])) },
    charges: seen.charges.filter(({ metadata }) => named.every(({ key, value }) => metadata[key] === value)),
  };
}

function completedOf(charges: readonly SeenCharge[]): number {
  return charges.filter(({ status }) => status === "COMPLETED").length;
}

function savedAs({ scope }: Carried["loaded"], name: string): unknown {
  const resolved = scope.resolve({ name, fallback: undefined });
  return typeof resolved === "object" && "value" in resolved && !isRecord(resolved.value)
    ? resolved.value
    : "";
}

function observedIn(run: Carried, index: number): unknown {
  const resolved = run.loaded.scope.resolve({ name: observedName(index), fallback: undefined });
  const value = typeof resolved === "object" && "value" in resolved ? resolved.value : undefined;
  return withoutRun(value, run.loaded.runId);
}

/** Each run is another customer: what is called after it is called after the run that is under way. */
function withoutRun(value: unknown, runId: string): unknown {
  if (typeof value === "string")
    return value.replace(/[*?]/g, "\\$&").replaceAll("${", "$${").replaceAll(runId, RUN_ID);
  if (Array.isArray(value)) return value.map((part) => withoutRun(part, runId));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutRun(part, runId)]));
}

/** What is the same in both, as an expectation; undefined where nothing is. */
function inCommon(one: unknown, other: unknown, ignore: readonly string[], path = ""): unknown {
  if (ignore.includes(path)) return undefined;
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length)
    return one.map(
      (part, index) => inCommon(part, other[index], ignore, below(path, String(index))) ?? { exists: true },
    );
  if (isRecord(one) && isRecord(other)) {
    const fields = Object.entries(one).flatMap(([key, part]) => {
      const same = inCommon(part, other[key], ignore, below(path, key));
      return same === undefined ? [] : [[isMatcherWord(key) ? `\\${key}` : key, same]];
    });
    return fields.length === 0 ? undefined : Object.fromEntries(fields);
  }
  return JSON.stringify(one) === JSON.stringify(other) && !Array.isArray(one) ? one : undefined;
}

function below(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
