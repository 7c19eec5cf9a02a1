import * as z from "zod/mini";
import { rateSchema } from "../common.js";
import { keyFixtureSchema, keyStatusSchema, organizationFixtureSchema } from "../fixtures-file.js";
import { faultRuleSchema, scenarioSchema } from "../scenario-rules.js";
import {
  boundedCountSchema,
  type DeepReadonly,
  instantMsSchema,
  sequenceNumberSchema,
  text,
} from "./record-fields.js";

/** Order of tasks that fall due at one instant, by kind: expiry first, attempts last. */
const TASK_RANKS = { expire: 0, timeline: 1, settle: 1, withdrawal: 1, attempt: 2 } as const;
const TASK_KINDS = Object.keys(TASK_RANKS) as (keyof typeof TASK_RANKS)[];

/** A scheduled task. Tasks run by due time, then rank, then order of scheduling. */
export const taskRecordSchema = z
  .strictObject({
    task_id: sequenceNumberSchema,
    due_ms: instantMsSchema,
    rank: z.literal([0, 1, 2]),
    kind: z.enum(TASK_KINDS),
    /** ID of the charge, withdrawal or delivery. */
    ref: text,
    /** Index in the timeline; for an attempt, the `seq` of its delivery. */
    step: z.optional(boundedCountSchema),
  })
  .check(({ value, issues }) => {
    const { kind, rank, step } = value;
    const fault = (field: "rank" | "step", message: string) =>
      issues.push({ code: "custom", input: value[field], path: [field], message });
    if (rank !== TASK_RANKS[kind]) fault("rank", `must be ${TASK_RANKS[kind]} for ${kind}`);
    if ((step === undefined) !== (kind === "expire" || kind === "settle"))
      fault("step", step === undefined ? "is required" : `is no field of ${kind}`);
  });
export type Task = DeepReadonly<z.infer<typeof taskRecordSchema>>;

export const scenarioRecordSchema = z.strictObject({
  name: text,
  scenario: scenarioSchema,
  /** Order of activation; 0 if not active. */
  activated: boundedCountSchema,
  /** Sandbox time at which the rules began to apply. */
  since_ms: instantMsSchema,
  /** Index of a webhook rule with `times` or `skip` → number of matching events since `since_ms`. */
  met: z.optional(z.record(text, boundedCountSchema)),
  /** True if stored through the control API. A restart does not replace the record by a shipped scenario. */
  by_hand: z.optional(z.literal(true)),
});
export type StoredScenario = Readonly<z.infer<typeof scenarioRecordSchema>>;

export const faultRecordSchema = z.strictObject({
  fault_id: text,
  seq: sequenceNumberSchema,
  rule: faultRuleSchema,
});
export type StoredFault = Readonly<z.infer<typeof faultRecordSchema>>;

export const rateRecordSchema = z.strictObject({ code: text, rate: rateSchema });
export type RateOverride = DeepReadonly<z.infer<typeof rateRecordSchema>>;

export const keyRecordSchema = z.strictObject({
  key: text,
  status: keyStatusSchema,
  permission: keyFixtureSchema.shape.permission,
});
export type KeyOverride = DeepReadonly<z.infer<typeof keyRecordSchema>>;

/** An organization that differs from its fixture. */
export const organizationRecordSchema = z.pick(organizationFixtureSchema, {
  organization_id: true,
  status: true,
  verified: true,
  enabled_payment_methods: true,
});
export type OrganizationOverride = z.infer<typeof organizationRecordSchema>;

const MAX_SPEED = 10_000_000;

export const clockRecordSchema = z
  .strictObject({
    mode: z.enum(["real", "manual", "scaled"]),
    speed: z
      .number()
      .check(z.positive("must be more than 0"), z.lte(MAX_SPEED, `must be at most ${MAX_SPEED}`)),
    /** Sandbox time at `wall_ms`. A manual clock keeps this time. */
    sandbox_ms: instantMsSchema,
    wall_ms: z.number(),
  })
  .check(
    z.refine(({ mode, speed }) => mode === "scaled" || speed === 1, {
      error: "must be 1 unless scaled",
      path: ["speed"],
    }),
  );
export type ClockRecord = DeepReadonly<z.infer<typeof clockRecordSchema>>;

/** Identity of the namespace, and its counters of resets and restores. */
export const namespaceRecordSchema = z.strictObject({
  name: text,
  seed: text,
  start_ms: instantMsSchema,
  /** Start time that an option set at creation, else null. A restart with a different start time fails. */
  asked_start_ms: z.nullable(instantMsSchema),
  /** Part of every ID; a reset increments it, so no ID is issued twice. */
  generation: boundedCountSchema,
  highest_generation: boundedCountSchema,
  /** Number of restores in this generation; part of every ID. */
  restores: boundedCountSchema,
});
export type NamespaceRecord = DeepReadonly<z.infer<typeof namespaceRecordSchema>>;
