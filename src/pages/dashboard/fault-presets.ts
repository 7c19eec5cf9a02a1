import type { Namespace } from "../../core/namespace/namespace.js";
import type { FaultRule } from "../../core/schema/scenario-rules.js";

/** Common faults, one button each. */
export const PRESETS: Readonly<Record<string, { readonly label: string; readonly rule: FaultRule }>> = {
  next: { label: "503 on the next checkout", rule: { respond: { status: 503 } } },
  second: { label: "503 on the second checkout", rule: { respond: { status: 503 }, skip: 1 } },
  lost: { label: "Lose the response of the next checkout", rule: { drop: "after" } },
};

const CHECKOUTS = ["createWhitelabel", "createCheckout"] as const;

/** A preset's rule for the checkout operation that the app called last; undefined for an unknown name. */
export function presetFault({ journal }: Namespace, name: string): FaultRule | undefined {
  const last = journal.entries().find((entry) => CHECKOUTS.some((checkout) => checkout === entry.operation));
  const operation = last?.operation ?? CHECKOUTS[0];
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  return preset && { match: { operation }, ...preset.rule, times: 1, per: "request" };
}
