import type { Namespace } from "../../core/namespace/namespace.js";
import type { FaultRule } from "../../core/schema/scenario.js";

/** The faults that are wanted most, each set by one press. */
export const READY_FAULTS: Readonly<Record<string, { readonly label: string; readonly rule: FaultRule }>> = {
  next: { label: "503 on the next checkout", rule: { respond: { status: 503 } } },
  second: { label: "503 on the second checkout", rule: { respond: { status: 503 }, skip: 1 } },
  lost: { label: "Lose the response of the next checkout", rule: { drop: "after" } },
};

const CHECKOUTS = ["createWhitelabel", "createCheckout"] as const;

/** The rule for the call that makes a charge, as this app makes it; undefined for an unknown name. */
export function readyFault({ journal }: Namespace, name: string): FaultRule | undefined {
  const made = journal.entries().find((entry) => CHECKOUTS.some((one) => one === entry.operation));
  const operation = made?.operation ?? CHECKOUTS[0];
  const ready = Object.hasOwn(READY_FAULTS, name) ? READY_FAULTS[name] : undefined;
  return ready && { match: { operation }, ...ready.rule, times: 1, per: "request" };
}
