import { isJsonObject } from "../../../core/schema/json-objects.js";
import { isMatcherOperator } from "../../../core/schema/matcher-words.js";
import type { LoadedScenario } from "../../scenario/files.js";
import type { ObservedCharge, ObservedRun } from "../deviable.js";
import { countCompletedPayments } from "../judge.js";
import type { Flow } from "./flow.js";
import { savedVariable } from "./looked-at.js";
import { viewVariableName } from "./run-document.js";
import type { Baseline } from "./sandbox-plan.js";

export interface LoadedPlainRun {
  readonly observed: ObservedRun;
  readonly loaded: LoadedScenario;
}

/** Placeholder for the run id in scenario files. */
const RUN_ID = `\${run.id}`;

/** Derives the expected end of every run from what two plain runs have in common. */
export function baselineOf(flow: Flow, one: LoadedPlainRun, other: LoadedPlainRun): Baseline {
  const [charge] = one.observed.charges;
  const { runId } = one.loaded;
  const hasOwnEmail = charge?.email.includes(runId) ?? false;
  const customerMatch = hasOwnEmail
    ? { customer_email: charge!.email.replaceAll("*", "\\*").replaceAll(runId, RUN_ID) }
    : {};
  const named = namedOrder(one);
  const all = hasOwnEmail ? { match: customerMatch, charges: ownedBy(charge!, one) } : named;
  return {
    customerMatch,
    chargeMatch: all?.match ?? {},
    completedCharges: countCompletedPayments(all?.charges ?? one.observed.charges),
    ...(one.observed.withdrawals.length === 0
      ? {}
      : { completedWithdrawals: countCompletedPayments(one.observed.withdrawals) }),
    ...(named === undefined
      ? {}
      : { orderCharges: { match: named.match, completed: countCompletedPayments(named.charges) } }),
    observed: commonViews(flow, one, other),
  };
}

/** Returns true if the app's views are equal at the end of both runs, except for ignored fields. */
export function hasSameViews(flow: Flow, one: LoadedPlainRun, other: LoadedPlainRun): boolean {
  return JSON.stringify(commonViews(flow, one, other)) === JSON.stringify(commonViews(flow, one, one));
}

function commonViews({ observe }: Flow, one: LoadedPlainRun, other: LoadedPlainRun): unknown[] {
  return observe.map(({ ignore = [] }, index) => {
    const [first, second] = [one, other].map((run) => observedIn(run, index));
    return commonPart(first, second, ignore) ?? { exists: true };
  });
}

function ownedBy({ email }: ObservedCharge, { observed }: LoadedPlainRun): readonly ObservedCharge[] {
  return observed.charges.filter((one) => one.email === email);
}

/** Finds the charges whose metadata holds a variable of the flow, such as the order's id. */
function namedOrder({ observed, loaded }: LoadedPlainRun) {
  const [charge] = observed.charges;
  const variables = loaded.scope.names.map((name) => [name, textOf(savedVariable(loaded, name))] as const);
  const named = Object.entries(charge?.metadata ?? {}).flatMap(([key, value]) => {
    const name = variables.find(([, text]) => text !== "" && text === value)?.[0];
    return name === undefined ? [] : [{ key, value, reference: `\${${name}}` }];
  });
  if (named.length === 0) return undefined;
  return {
    match: { metadata: Object.fromEntries(named.map(({ key, reference }) => [key, reference])) },
    charges: observed.charges.filter(({ metadata }) =>
      named.every(({ key, value }) => metadata[key] === value),
    ),
  };
}

/** Converts a variable to its text in metadata; empty for undefined and for objects. */
function textOf(value: unknown): string {
  return value === undefined || isJsonObject(value) ? "" : String(value);
}

function observedIn({ loaded }: LoadedPlainRun, index: number): unknown {
  return withoutRun(savedVariable(loaded, viewVariableName(index)), loaded.runId);
}

/** Replaces the run id by its placeholder, so that the value can be expected of every run. */
function withoutRun(value: unknown, runId: string): unknown {
  if (typeof value === "string")
    return value.replace(/[*?]/g, "\\$&").replaceAll("${", "$${").replaceAll(runId, RUN_ID);
  if (Array.isArray(value)) return value.map((part) => withoutRun(part, runId));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutRun(part, runId)]));
}

/** Returns an expectation of the parts that both values share; undefined if the values share no part. */
function commonPart(one: unknown, other: unknown, ignore: readonly string[], path = ""): unknown {
  if (ignore.includes(path)) return undefined;
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length)
    return one.map(
      (part, index) => commonPart(part, other[index], ignore, below(path, String(index))) ?? { exists: true },
    );
  if (isJsonObject(one) && isJsonObject(other)) {
    const fields = Object.entries(one).flatMap(([key, part]) => {
      const common = commonPart(part, other[key], ignore, below(path, key));
      return common === undefined ? [] : [[isMatcherOperator(key) ? `\\${key}` : key, common]];
    });
    return fields.length === 0 ? undefined : Object.fromEntries(fields);
  }
  return JSON.stringify(one) === JSON.stringify(other) && !Array.isArray(one) ? one : undefined;
}

function below(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
