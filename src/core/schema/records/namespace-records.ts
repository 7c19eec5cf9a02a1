import * as z from "zod/mini";
import { rateSchema } from "../common.js";
import { keyFixtureSchema, keyStatusSchema, organizationFixtureSchema } from "../fixtures-file.js";
import { faultRuleSchema, scenarioSchema } from "../scenario-rules.js";
import { count, type DeepReadonly, instantMs, ordinal, text } from "./record-fields.js";

/** Task kind → order among tasks due at one instant: expiry first, attempts last. */
export const TASK_RANKS = { expire: 0, timeline: 1, settle: 1, withdrawal: 1, attempt: 2 } as const;
export const TASK_KINDS = [
  "expire",
  "timeline",
  "settle",
  "withdrawal",
  "attempt",
] as const satisfies readonly (keyof typeof TASK_RANKS)[];

/** A scheduled task. Tasks run by due time, then rank, then order of scheduling. */
export const taskRecord = z
  .strictObject({
    task_id: ordinal,
    due_ms: instantMs,
    rank: z.literal([0, 1, 2]),
    kind: z.enum(TASK_KINDS),
    /** ID of the charge, withdrawal or delivery. */
    ref: text,
    /** Index in the timeline; for an attempt, the `seq` of its delivery. */
    step: z.optional(count),
  })
  .check(({ value, issues }) => {
    const { kind, rank, step } = value;
    const fault = (field: "rank" | "step", message: string) =>
      issues.push({ code: "custom", input: value[field], path: [field], message });
    if (rank !== TASK_RANKS[kind]) fault("rank", `must be ${TASK_RANKS[kind]} for ${kind}`);
    if ((step === undefined) !== (kind === "expire" || kind === "settle"))
      fault("step", step === undefined ? "is required" : `is no field of ${kind}`);
  });
export type Task = DeepReadonly<z.infer<typeof taskRecord>>;

export const scenarioRecord = z.strictObject({
  name: text,
  scenario: scenarioSchema,
  /** Order of activation; 0 if not active. */
  activated: count,
  /** Sandbox time at which the rules began to apply. */
  since_ms: instantMs,
  /** Index of a webhook rule that counts its matches → number of matching events since `since_ms`. */
  met: z.optional(z.record(text, count)),
  /** Stored through the control API: a start does not replace the scenario by a shipped one of the same name. */
  by_hand: z.optional(z.literal(true)),
});
export type StoredScenario = Readonly<z.infer<typeof scenarioRecord>>;

/** A fault set by the control API. */
export const faultRecord = z.strictObject({ fault_id: text, seq: ordinal, rule: faultRuleSchema });
export type StoredFault = Readonly<z.infer<typeof faultRecord>>;

export const rateRecord = z.strictObject({ code: text, rate: rateSchema });
export type RateOverride = DeepReadonly<z.infer<typeof rateRecord>>;

/** An API key that differs from its fixture. */
export const keyRecord = z.strictObject({
  key: text,
  status: keyStatusSchema,
  permission: keyFixtureSchema.shape.permission,
});
export type KeyOverride = DeepReadonly<z.infer<typeof keyRecord>>;

/** An organization that differs from its fixture. */
export const organizationRecord = z.pick(organizationFixtureSchema, {
  organization_id: true,
  status: true,
  verified: true,
  enabled_payment_methods: true,
});
export type OrganizationOverride = z.infer<typeof organizationRecord>;

const MAX_SPEED = 10_000_000;

export const clockRecord = z
  .strictObject({
    mode: z.enum(["real", "manual", "scaled"]),
    speed: z
      .number()
      .check(z.positive("must be more than 0"), z.lte(MAX_SPEED, `must be at most ${MAX_SPEED}`)),
    /** Sandbox time at `wall_ms`; on a manual clock, the current time. */
    sandbox_ms: instantMs,
    wall_ms: z.number(),
  })
  .check(
    z.refine(({ mode, speed }) => mode === "scaled" || speed === 1, {
      error: "must be 1 unless scaled",
      path: ["speed"],
    }),
  );
export type ClockRecord = DeepReadonly<z.infer<typeof clockRecord>>;

/** Identity of the namespace, and its counters of resets and restores. */
export const namespaceRecord = z.strictObject({
  name: text,
  seed: text,
  start_ms: instantMs,
  /** Start time from the options at creation, if any; later starts must not give another one. */
  asked_start_ms: z.nullable(instantMs),
  /** Part of every ID; a reset increments it, so no ID is issued twice. */
  generation: count,
  highest_generation: count,
  /** Part of every ID: number of restores in this generation. */
  restores: count,
});
export type NamespaceRecord = DeepReadonly<z.infer<typeof namespaceRecord>>;
