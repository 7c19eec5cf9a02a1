import * as z from "zod/mini";
import { globMatches } from "../../../core/domain/glob.js";
import { isSuccessStatus } from "../../../core/schema/http-response.js";
import { withNameKind } from "../../../core/schema/name-kinds.js";
import { entriesAtMost, minLength } from "../../../core/schema/schema-checks.js";
import type { RunContext } from "../running/context.js";
import type { LogRow } from "../running/control-lists.js";
import { StepFailure } from "../running/failure.js";
import { describeMailboxDeliveries, waitUntilIdle } from "./expect-records.js";
import { defineStep, stepSchema, textSchema } from "./step-definition.js";

const typesSchema = z
  .array(withNameKind("event type", textSchema), "must be a list of types, or have one under types")
  .check(minLength(1, "needs a type at least"), entriesAtMost(1_000));

/** Fields that select events. Without any selector, the step checks all charges and withdrawals. */
const SELECTORS = ["charge_id", "withdrawal_id", "webhook_id", "url"] as const;
type Selection = Partial<Readonly<Record<(typeof SELECTORS)[number], string>>>;

export const expectSequence = defineStep(["checks"], {
  description:
    "Since the run began, each receiver has accepted each object's events of these types in this order.",
  schema: stepSchema({
    expect_sequence: z.union([
      typesSchema,
      z.strictObject({
        types: typesSchema,
        charge_id: z.optional(textSchema),
        withdrawal_id: z.optional(textSchema),
        webhook_id: z.optional(textSchema),
        url: z.optional(textSchema),
      }),
    ]),
  }),
  run: async ({ expect_sequence: expected }, context) => {
    const { types, ...selection } = Array.isArray(expected) ? { types: expected } : expected;
    await waitUntilIdle(context);
    const sequences = await sequencesOf(context, selection);
    if (sequences.size === 0)
      throw new StepFailure({ message: "no event at all", expected: types }, "expect_sequence");
    for (const [subject, all] of sequences) {
      const got = all.filter((type) => types.some((glob) => globMatches(glob, type)));
      if (got.length === types.length && got.every((type, index) => globMatches(types[index]!, type)))
        continue;
      const note = await describeMailboxDeliveries(context, (row) => matches(selection, row));
      const arrived = got.length === 0 ? "none of these arrived" : `${got.join(", ")} arrived`;
      throw new StepFailure(
        {
          message: `${subject}: ${arrived}, not ${types.join(", ")}`,
          expected: types,
          got: all,
          difference: [{ path: Array.isArray(expected) ? "" : "types", expected: types, got }],
          ...(note === undefined ? {} : { note }),
        },
        "expect_sequence",
      );
    }
    return { types };
  },
});

/** Returns the types of accepted events in order, by payment and receiver. Without deliveries, uses all events. */
async function sequencesOf(
  { startState: baseline }: RunContext,
  selection: Selection,
): Promise<Map<string, string[]>> {
  const isSelected = (row: LogRow): boolean => matches(selection, row);
  const deliveries = (await baseline.since("deliveries")).filter(isSelected);
  if (deliveries.length > 0) {
    const accepted = deliveries.flatMap((delivery) => acceptedAt(delivery) ?? []);
    const sequences = typesBySubject(accepted.sort((a, b) => a.order - b.order).map(({ row }) => row));
    // Subjects whose events were never accepted have an empty sequence.
    for (const subject of typesBySubject(deliveries).keys())
      if (!sequences.has(subject)) sequences.set(subject, []);
    return sequences;
  }
  if (selection.webhook_id !== undefined || selection.url !== undefined) return new Map();
  return typesBySubject((await baseline.since("events")).filter(isSelected).reverse());
}

function matches(selection: Selection, row: LogRow): boolean {
  return SELECTORS.every(
    (field) => selection[field] === undefined || globMatches(selection[field], String(row[field])),
  );
}

interface Attempt {
  readonly order: number;
  readonly status: number | null;
}

/** Returns the delivery and the sequence number of its first successful attempt. Ignores false events. */
function acceptedAt(row: LogRow): { readonly row: LogRow; readonly order: number } | undefined {
  const { attempts, mishap } = row as { attempts: readonly Attempt[]; mishap: { forged?: boolean } | null };
  const success = attempts.find(({ status }) => isSuccessStatus(status));
  return success === undefined || mishap?.forged === true ? undefined : { row, order: success.order };
}

function typesBySubject(rows: readonly LogRow[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { charge_id, withdrawal_id, url, webhook_id, type } of rows) {
    const object = charge_id ?? withdrawal_id;
    if (object === null || object === undefined) continue;
    const receiver = url ?? webhook_id;
    const subject = receiver === undefined ? String(object) : `${String(object)} at ${String(receiver)}`;
    groups.set(subject, [...(groups.get(subject) ?? []), String(type)]);
  }
  return groups;
}
