import { isJsonObject } from "../../../core/schema/json-objects.js";
import { isMatcher } from "../../../core/schema/matcher-words.js";
import type { RawStep } from "../../scenario/loaded-steps.js";
import type { RunPlan } from "../run-plan.js";
import type { Baseline, Payment } from "./facts.js";

/*
 * Strangers who pay while the app reads a list of payments. An app that counts all payments counts theirs, another does
 * not; neither may count one twice, or miss one.
 */

const STRANGER = "stranger@shop.test";

/** A stranger pays as the customer does. */
export function payStep(payment: Payment): RawStep {
  return { pay: { ...payment, customer_email: STRANGER } };
}

/** Returns the press during which the app reads the list; undefined if its scheduled work does. */
export function pressOfList({ strangers }: RunPlan, { list }: Baseline): number | undefined {
  const count = strangers?.earlierCount ?? 0;
  const press = (list?.reads ?? []).findIndex(([from, to]) => from <= count && count < to);
  return press === -1 ? undefined : press;
}

/** Allows a view to count the strangers or not: each number may be as in a plain run, or `times` as large. */
export function countedIn(expected: unknown, times: number): unknown {
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
