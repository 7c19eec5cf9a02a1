import * as z from "zod/mini";
import { globMatches } from "../../../core/domain/glob.js";
import { entriesAtMost, minLength } from "../../../core/schema/lengths.js";
import { naming } from "../../../core/schema/names.js";
import type { RunContext } from "../running/context.js";
import { StepFailure } from "../running/failure.js";
import type { Row } from "../running/lists.js";
import { settle, waitingInMailboxes } from "./expecting.js";
import { textSchema } from "./parts.js";
import { step, stepSchema } from "./row.js";

const typesSchema = z
  .array(naming("event type", textSchema), "must be a list of types, or have one under types")
  .check(minLength(1, "needs a type at least"), entriesAtMost(1_000));

/** Whose events: without any of these, those of each charge and withdrawal there is. */
const OF = ["charge_id", "withdrawal_id", "webhook_id", "url"] as const;
type Whose = Partial<Readonly<Record<(typeof OF)[number], string>>>;

export const expectSequence = step({
  says: "The events of a charge, of the types named, have been delivered in this order since the run began.",
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
  run: async ({ expect_sequence: asked }, context) => {
    const { types, ...whose } = Array.isArray(asked) ? { types: asked } : asked;
    await settle(context);
    const sequences = await told(context, whose);
    if (sequences.size === 0)
      throw new StepFailure({ message: "no event at all", expected: types }, "expect_sequence");
    for (const [who, all] of sequences) {
      const got = all.filter((type) => types.some((glob) => globMatches(glob, type)));
      if (got.length === types.length && got.every((type, index) => globMatches(types[index]!, type)))
        continue;
      const note = await waitingInMailboxes(context, (row) => isOf(whose, row));
      const came = got.length === 0 ? "none of these came" : `${got.join(", ")} came`;
      throw new StepFailure(
        {
          message: `${who}: ${came}, not ${types.join(", ")}`,
          expected: types,
          got: all,
          difference: [{ path: Array.isArray(asked) ? "" : "types", expected: types, got }],
          ...(note === undefined ? {} : { note }),
        },
        "expect_sequence",
      );
    }
    return { types };
  },
});

/**
 * What each receiver has taken of each charge or withdrawal, in order. Where nobody is to be told of them, in the order
 * it happened.
 */
async function told({ baseline }: RunContext, whose: Whose): Promise<Map<string, string[]>> {
  const isMeant = (row: Row): boolean => isOf(whose, row);
  const deliveries = (await baseline.since("deliveries")).filter(isMeant);
  if (deliveries.length > 0) {
    const taken = deliveries.flatMap((delivery) => takenAt(delivery) ?? []);
    const sequences = grouped(taken.sort((a, b) => a.order - b.order).map(({ row }) => row));
    // Of what was never taken there is an empty sequence.
    for (const who of grouped(deliveries).keys()) if (!sequences.has(who)) sequences.set(who, []);
    return sequences;
  }
  if (whose.webhook_id !== undefined || whose.url !== undefined) return new Map();
  return grouped((await baseline.since("events")).filter(isMeant).reverse());
}

function isOf(whose: Whose, row: Row): boolean {
  return OF.every((field) => whose[field] === undefined || globMatches(whose[field], String(row[field])));
}

interface Attempt {
  readonly order: number;
  readonly status: number | null;
}

/** When a delivery was first answered with success. */
function takenAt(row: Row): { readonly row: Row; readonly order: number } | undefined {
  const { attempts, mishap } = row as { attempts: readonly Attempt[]; mishap: { forged?: boolean } | null };
  const success = attempts.find(({ status }) => status !== null && status >= 200 && status < 300);
  return success === undefined || mishap?.forged === true ? undefined : { row, order: success.order };
}

function grouped(rows: readonly Row[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { charge_id, withdrawal_id, url, webhook_id, type } of rows) {
    const what = charge_id ?? withdrawal_id;
    if (what === null || what === undefined) continue;
    const receiver = url ?? webhook_id;
    const who = receiver === undefined ? String(what) : `${String(what)} at ${String(receiver)}`;
    groups.set(who, [...(groups.get(who) ?? []), String(type)]);
  }
  return groups;
}
