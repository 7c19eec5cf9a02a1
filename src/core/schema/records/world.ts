import * as z from "zod/mini";
import { rateSchema } from "../common.js";
import { keyFixtureSchema, keyStatusSchema, organizationFixtureSchema } from "../fixtures.js";
import { faultRuleSchema, scenarioSchema } from "../scenario.js";
import { count, instantMs, type Kept, ordinal, text } from "./parts.js";

/** What a task does when it is due, and its place among those of one instant: expiry first, attempts last. */
export const TASK_RANKS = { expire: 0, timeline: 1, settle: 1, withdrawal: 1, attempt: 2 } as const;
export const TASK_KINDS = [
  "expire",
  "timeline",
  "settle",
  "withdrawal",
  "attempt",
] as const satisfies readonly (keyof typeof TASK_RANKS)[];

/** What is due when. Ordered by due time, then rank, then the order of scheduling. */
export const taskRecord = z
  .strictObject({
    task_id: ordinal,
    due_ms: instantMs,
    /** Expiry is 0: at the same instant it goes first. An attempt is 2: it goes last. */
    rank: z.literal([0, 1, 2]),
    kind: z.enum(TASK_KINDS),
    /** The charge, withdrawal or delivery it is about. */
    ref: text,
    /** Which entry of the timeline; of an attempt, the number of its delivery. */
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
export type Task = Kept<z.infer<typeof taskRecord>>;

export const scenarioRecord = z.strictObject({
  name: text,
  scenario: scenarioSchema,
  /** Order of activation; 0 is not active. */
  activated: count,
  /** When its rules began to apply. */
  since_ms: instantMs,
  /** How many events each webhook rule that counts them has met since, by its place. */
  met: z.optional(z.record(text, count)),
  /** Somebody has put it here by the control API: the shipped one of that name does not come back at a start. */
  by_hand: z.optional(z.literal(true)),
});
export type StoredScenario = Readonly<z.infer<typeof scenarioRecord>>;

/** A fault set by the control API. */
export const faultRecord = z.strictObject({ fault_id: text, seq: ordinal, rule: faultRuleSchema });
export type StoredFault = Readonly<z.infer<typeof faultRecord>>;

export const rateRecord = z.strictObject({ code: text, rate: rateSchema });
export type RateOverride = Kept<z.infer<typeof rateRecord>>;

/** An API key that was changed while it runs, as it is now. */
export const keyRecord = z.strictObject({
  key: text,
  status: keyStatusSchema,
  permission: keyFixtureSchema.shape.permission,
});
export type ChangedKey = Kept<z.infer<typeof keyRecord>>;

/** An organization that was changed while it runs, as it is now. */
export const organizationRecord = z.pick(organizationFixtureSchema, {
  organization_id: true,
  status: true,
  verified: true,
  enabled_payment_methods: true,
});
export type ChangedOrganization = z.infer<typeof organizationRecord>;

/** How far from 1 the speed of a clock may be. */
const FASTEST = 10_000_000;

export const clockRecord = z
  .strictObject({
    mode: z.enum(["real", "manual", "scaled"]),
    speed: z.number().check(z.positive("must be more than 0"), z.lte(FASTEST, `must be at most ${FASTEST}`)),
    /** Sandbox time that belongs to `wall_ms`; on a manual clock it is the time. */
    sandbox_ms: instantMs,
    wall_ms: z.number(),
  })
  .check(
    z.refine(({ mode, speed }) => mode === "scaled" || speed === 1, {
      error: "must be 1 unless scaled",
      path: ["speed"],
    }),
  );
export type ClockRecord = Kept<z.infer<typeof clockRecord>>;

/** What a namespace is, whatever happens in it. */
export const worldRecord = z.strictObject({
  name: text,
  seed: text,
  start_ms: instantMs,
  /** The start time that was asked for, if one was: data and options must not contradict each other. */
  asked_start_ms: z.nullable(instantMs),
  /** Part of every id: a reset goes on with the next one, so that no id comes twice. */
  generation: count,
  highest_generation: count,
  /** Part of every id too: how often a state was put back in this generation. */
  restores: count,
});
export type WorldRecord = Kept<z.infer<typeof worldRecord>>;
