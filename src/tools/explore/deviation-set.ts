import { createHash } from "node:crypto";
import {
  type DEVIATION_KINDS,
  deviationsFault,
  type FAIL_ON_KINDS,
  splitDeviations,
} from "../../core/schema/explore-limits.js";
import { UserError } from "../../core/schema/user-error.js";

/** The kind of a deviation, such as `webhook_twice`. */
export type DeviationKind = (typeof DEVIATION_KINDS)[number];

/** A kind of note that `failOn` turns into a finding. */
export type FailOnKind = (typeof FAIL_ON_KINDS)[number];

/** One thing that a run does differently from a plain run. */
export interface Deviation {
  /** The kind, such as `webhook_twice`. */
  readonly kind: DeviationKind;
  /** The place, such as `createWhitelabel#1` (first call of the operation) or `charge.completed#1` (first event). */
  readonly at: string;
}

/** The deviations of one run, in any order. */
export type DeviationSet = readonly Deviation[];

export function deviationKey({ kind, at }: Deviation): string {
  return `${kind} ${at}`;
}

export function deviationSetKey(set: DeviationSet): string {
  return set.map(deviationKey).sort().join("\n");
}

/** Formats a set for messages: `response_lost at createWhitelabel#1`. */
export function deviationSetText(set: DeviationSet): string {
  return set.map(({ kind, at }) => `${kind} at ${at}`).join(", ");
}

/** Code of the error if no run has the place of a deviation. */
export const NO_PLACE_CODE = "NO_SUCH_PLACE";

/**
 * Parses what `deviationSetText` returns. Throws for an unknown kind.
 *
 * @param option names the option in messages
 */
export function parseDeviationSet(text: string, option = "--only"): DeviationSet {
  const fault = deviationsFault(text);
  if (fault !== undefined) throw new UserError(`${option}: ${fault}`);
  return splitDeviations(text) as Deviation[];
}

const MAX_NAME = 100;

/** @param found a set, or the name of a life */
export function scenarioName(flow: string, found: DeviationSet | string): string {
  const parts = typeof found === "string" ? [found] : found.map(({ kind, at }) => `${kind}.${at}`);
  const name = [flow, ...parts.map((part) => part.replace(/[^A-Za-z0-9_.-]+/g, "-"))].join(".");
  if (name.length <= MAX_NAME) return name;
  // The hash keeps shortened names distinct.
  const ending = `.${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;
  return `${name.slice(0, MAX_NAME - ending.length)}${ending}`;
}
