import { isJsonObject } from "../../../core/schema/json-objects.js";
import { isMatcher } from "../../../core/schema/matcher-words.js";
import type { LoadedScenario } from "../../scenario/files.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import { LIST_OPERATION } from "./observation.js";
import { PRESENT } from "./payment-ends.js";
import { raceSteps } from "./race-steps.js";
import type { Baseline, Growth, SandboxPlan } from "./sandbox-plan.js";
import { savedVariable, viewVariableName } from "./saved-variable.js";

/*
 * Strangers who pay while the app reads a list of payments. An app that counts all payments counts theirs, another does
 * not; neither may count one twice, or miss one.
 */

const STRANGER = "stranger@shop.test";

/** Adds the strangers' payments to steps that read the list: between two of its pages, or before it. */
export function withStrangers(
  reading: readonly RawStep[],
  { strangers, raceHeld }: SandboxPlan,
  { list }: Baseline,
): RawStep[] {
  if (strangers === undefined || list === undefined) return [...reading];
  const paying: RawStep = { pay: { ...list.price, customer_email: STRANGER } };
  if (!strangers.areBetween) return [{ repeat: strangers.strangers, steps: [paying] }, ...reading];
  return raceSteps({
    name: "A stranger pays between two pages",
    match: { operation: LIST_OPERATION },
    maxHeld: raceHeld,
    held: reading,
    other: [paying],
  });
}

/** Returns the press during which the app reads the list; undefined if its scheduled work does. */
export function pressOfList({ strangers }: SandboxPlan, { list }: Baseline): number | undefined {
  const count = strangers?.earlierCount ?? 0;
  const press = (list?.reads ?? []).findIndex(([from, to]) => from <= count && count < to);
  return press === -1 ? undefined : press;
}

interface Views {
  readonly views: readonly unknown[];
  /** Number of runs up to this one, with it. */
  readonly ordinal: number;
}

/** Finds the numbers in objects that grow from one run to a later one. */
export function growthsOf(one: Views, other: Views, ignored: readonly (readonly string[])[]): Growth[] {
  const runs = other.ordinal - one.ordinal;
  return one.views.flatMap((first, view) =>
    numbersIn(first, other.views[view]).flatMap(({ path, from, to }) => {
      if (to <= from || ignored[view]?.includes(path.join(".")) === true) return [];
      const perRun = (to - from) / runs;
      return [{ view, path, perRun, fresh: from - perRun * one.ordinal }];
    }),
  );
}

function numbersIn(
  one: unknown,
  other: unknown,
  path: readonly string[] = [],
): { path: readonly string[]; from: number; to: number }[] {
  if (typeof one === "number" && typeof other === "number") return [{ path, from: one, to: other }];
  if (!isJsonObject(one) || !isJsonObject(other)) return [];
  return Object.entries(one).flatMap(([key, part]) => numbersIn(part, other[key], [...path, key]));
}

export function growthKey({ view, path }: Growth): string {
  return JSON.stringify([view, path]);
}

export function grownValue(loaded: LoadedScenario, { view, path }: Growth): number {
  const body = savedVariable(loaded, viewVariableName(view));
  return Number(
    path.reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], body),
  );
}

/** Allows the end of a run to count the strangers or not. */
export function withStrangersCounted(baseline: Baseline, { strangers, before }: SandboxPlan): Baseline {
  const { list, observed } = baseline;
  if (strangers === undefined || list === undefined) return baseline;
  const { completed, growths } = list;
  const times = (completed + strangers.strangers) / completed;
  const views: unknown[] = observed.map((view) => countedIn(view, times) ?? PRESENT);
  for (const growth of growths) {
    const base = before?.get(growthKey(growth)) ?? growth.fresh;
    const counts = [base + growth.perRun, base + growth.perRun * times];
    views[growth.view] = withValue(views[growth.view], growth.path, { in: counts });
  }
  return { ...baseline, observed: views };
}

function countedIn(expected: unknown, times: number): unknown {
  if (typeof expected === "number" && expected > 0) return { in: [expected, expected * times] };
  if (typeof expected === "string") return countedText(expected, times);
  // A list may also have what the strangers paid.
  if (Array.isArray(expected)) return undefined;
  if (!isJsonObject(expected) || isMatcher(expected)) return expected;
  const fields = Object.entries(expected).flatMap(([key, part]) => {
    const counted = countedIn(part, times);
    return counted === undefined ? [] : [[key, counted]];
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

function countedText(text: string, times: number): unknown {
  const decimals = /^\d+\.(\d+)$/.exec(text)?.[1]?.length;
  return decimals === undefined ? text : { in: [text, (Number(text) * times).toFixed(decimals)] };
}

function withValue(view: unknown, [key = "", ...rest]: readonly string[], value: object): object {
  const fields: Record<string, unknown> = isJsonObject(view) && !isMatcher(view) ? view : {};
  return { ...fields, [key]: rest.length === 0 ? value : withValue(fields[key], rest, value) };
}
