import { jsonOrText } from "../../core/schema/depth.js";
import type { Answer } from "../../core/schema/receiver-report.js";

type Leaf = string | number | boolean | null;

/** What an app says of a charge, leaf by leaf, by where it stands; moments in time are left out. */
export type View = ReadonlyMap<string, Leaf>;

const DAY_MS = 86_400_000;
const STATUS = "the status";

/** Reads an answer. What sets the charge apart is taken out of it, so that two charges' views are alike. */
export function viewOf({ status, body }: Answer, names: readonly string[], nowMs: number): View {
  const leaves = new Map<string, Leaf>([[STATUS, status]]);
  if (status === null || status >= 300) return leaves;
  const alike = names.reduce((text, name) => text.replaceAll(name, "…"), body);
  flatten(jsonOrText(alike), "", leaves, nowMs);
  return leaves;
}

function flatten(value: unknown, path: string, leaves: Map<string, Leaf>, nowMs: number): void {
  if (Array.isArray(value)) leaves.set(`${path}.length`, value.length);
  if (typeof value === "object" && value !== null)
    for (const [name, part] of Object.entries(value))
      flatten(part, path === "" ? name : `${path}.${name}`, leaves, nowMs);
  else if (!isMoment(value, nowMs)) leaves.set(path === "" ? "the text" : path, leafOf(value));
}

function isMoment(value: unknown, nowMs: number): boolean {
  if (typeof value === "string") return /^\d{4}-\d\d-\d\d([T ]\d\d:|$)/.test(value);
  if (typeof value !== "number") return false;
  return [value, value * 1_000].some((ms) => Math.abs(ms - nowMs) < DAY_MS);
}

/** Amounts are decimal strings as often as numbers. */
function leafOf(value: unknown): Leaf {
  if (typeof value === "string" && /^-?\d{1,15}(\.\d+)?$/.test(value)) return Number(value);
  return value as Leaf;
}

/** What has changed from one view to the other, at the paths that count, in words. */
export function changesOf(before: View, after: View, ignored: ReadonlySet<string>): string[] {
  return [...pathsOf(before, after)]
    .filter((path) => !ignored.has(path) && before.get(path) !== after.get(path))
    .map((path) => `${path} ${shown(before.get(path))} → ${shown(after.get(path))}`);
}

/** What an event did: how far numbers went, what else became of the rest. */
export function effectOf(before: View, after: View): View {
  const effect = new Map<string, Leaf>();
  for (const path of pathsOf(before, after)) {
    const [was, is] = [before.get(path), after.get(path)];
    if (was !== is)
      effect.set(path, typeof was === "number" && typeof is === "number" ? is - was : (is ?? null));
  }
  return effect;
}

/** Where two effects differ, in words; where those that count agree, undefined. */
export function deviationOf(effect: View, usual: View, ignored: ReadonlySet<string>): string | undefined {
  for (const path of pathsOf(usual, effect)) {
    const [is, was] = [effect.get(path), usual.get(path)];
    if (!ignored.has(path) && !isAbout(is, was))
      return is === undefined
        ? `${path} has not become ${shown(was)}`
        : `${path} ${shown(is)}, not ${shown(was)}`;
  }
  return undefined;
}

/** Differences of decimals are not exact. */
function isAbout(one: Leaf | undefined, other: Leaf | undefined): boolean {
  return (
    one === other || (typeof one === "number" && typeof other === "number" && Math.abs(one - other) < 1e-6)
  );
}

export function pathsOf(...views: readonly View[]): Set<string> {
  return new Set(views.flatMap((view) => [...view.keys()]));
}

function shown(leaf: Leaf | undefined): string {
  return leaf === undefined ? "nothing" : String(leaf).slice(0, 60);
}
