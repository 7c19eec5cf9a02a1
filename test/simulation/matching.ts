import { fraction } from "../support/fraction.js";
import type { Json } from "./client.js";

/** Matches rules independently of src: globs as regular expressions, amounts as fractions. */
export interface Scenario {
  readonly name: string;
  readonly charges?: readonly Json[];
  readonly withdrawals?: readonly Json[];
  readonly webhooks?: readonly Json[];
}

export interface Subject {
  readonly fields: Readonly<Record<string, string | null | undefined>>;
  readonly metadata: Readonly<Record<string, string>>;
}

export function globMatches(glob: string | readonly string[], text: string | null | undefined): boolean {
  if (text === null || text === undefined) return false;
  return [glob].flat().some((one) => {
    const pattern = (one as string)
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".");
    return new RegExp(`^${pattern}$`, "s").test(text);
  });
}

function isWithin(bounds: Record<string, string>, amount: string | null | undefined): boolean {
  if (amount === null || amount === undefined) return false;
  const value = fraction(amount);
  return Object.entries(bounds).every(([name, bound]) => {
    const limit = fraction(bound);
    const order = value.n * limit.d - limit.n * value.d;
    return { gt: order > 0n, gte: order >= 0n, lt: order < 0n, lte: order <= 0n }[name];
  });
}

export function matches(match: Json, { fields, metadata }: Subject): boolean {
  return Object.entries(match ?? {}).every(([name, wanted]: [string, Json]) => {
    if (name === "metadata")
      return Object.entries(wanted).every(([key, glob]) => globMatches(glob as string, metadata[key]));
    if (typeof wanted === "object" && !Array.isArray(wanted)) return isWithin(wanted, fields[name]);
    return globMatches(wanted, fields[name]);
  });
}

/** Returns the first rule that matches. */
export function firstRule(
  kind: "charges" | "withdrawals" | "webhooks",
  scenarios: readonly Scenario[],
  subject: Subject,
): { scenario: string; rule: Json } | undefined {
  for (const scenario of scenarios)
    for (const rule of scenario[kind] ?? [])
      if (matches(rule.match, subject)) return { scenario: scenario.name, rule };
  return undefined;
}
