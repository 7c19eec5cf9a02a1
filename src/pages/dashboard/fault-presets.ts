import type { Namespace } from "../../core/namespace/namespace.js";
import type { FaultRule } from "../../core/schema/scenario-rules.js";

/** Effects of a fault on a call, by name. */
export const EFFECTS: Readonly<Record<string, FaultRule>> = {
  503: { respond: { status: 503 } },
  429: { respond: { status: 429 } },
  lost: { drop: "after" },
  cut: { drop: "before" },
  hang: { drop: "hang" },
  late: { delay_answer: "10s" },
};

type FaultForm = Partial<Record<"effect" | "operation" | "times" | "skip", string>>;

/** Common faults, one button each. */
export const PRESETS: readonly (readonly [label: string, fields: FaultForm])[] = [
  ["503 on the next checkout", { effect: "503" }],
  ["503 on the second checkout", { effect: "503", skip: "1" }],
  ["Lose the response of the next checkout", { effect: "lost" }],
];

const CHECKOUTS = ["createWhitelabel", "createCheckout"] as const;

/** The rule of a preset or of the form. Default operation: the checkout operation that the app called last. */
export function faultRuleOf({ journal }: Namespace, fields: FaultForm): object | undefined {
  const { effect = "", operation, times = "1", skip = "0" } = fields;
  const last = journal.entries().find((entry) => CHECKOUTS.some((checkout) => checkout === entry.operation));
  const match = { operation: operation || (last?.operation ?? CHECKOUTS[0]) };
  return Object.hasOwn(EFFECTS, effect)
    ? { match, ...EFFECTS[effect], times: Number(times), skip: Number(skip), per: "request" }
    : undefined;
}
