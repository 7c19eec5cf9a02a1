import * as z from "zod/mini";
import { pagesOf } from "../../control-client.js";
import { attemptSchema, deliverySchema } from "../../schema/control-log-responses.js";
import type { Client } from "../running/client.js";
import type { Row } from "../running/lists.js";
import { expecting } from "./expecting.js";
import { fits } from "./matching.js";
import { deliveryFields, fields, httpStatusSchema } from "./parts.js";

/** What a rule dropped was never attempted: it counts, by itself, where the step asks for it. */
export const expectDelivery = expecting("expect_delivery", {
  says: "Attempts at delivering webhooks since the run began, and the app's answers.",
  what: "delivery attempt",
  fields: {
    ...deliveryFields,
    ...fields("attempt", "error", "response_body", "request_headers"),
    /** What the app answered: a status, a class of them, or `none` when no answer came. */
    answered: z.optional(z.union([httpStatusSchema, z.literal("none")], "must be 200, 2xx or none")),
  },
  record: { shape: { ...deliverySchema.shape, ...attemptSchema.shape } },
  rows: async ({ baseline }, { status, mishap }) => {
    const all = await baseline.since("deliveries");
    // What nobody made counts where it is asked for.
    const deliveries = mishap === undefined ? all.filter((delivery) => !isForged(delivery)) : all;
    return status === "dropped" ? deliveries.map(asRow) : deliveries.flatMap(attemptsOf);
  },
  aside: async ({ baseline, client }, { answered: _answered, attempt: _attempt, ...expected }) => {
    const mailboxes = await mailboxesOf(client);
    const waiting = (await baseline.since("deliveries"))
      .filter(({ webhook_id, status }) => mailboxes.has(webhook_id) && status === "pending")
      .filter((row) => fits(expected, row));
    const names = new Set(waiting.map(({ webhook_id }) => mailboxes.get(webhook_id)));
    return waiting.length === 0
      ? undefined
      : `${waiting.length} ${waiting.length === 1 ? "waits" : "wait"} in mailbox ${[...names].join(", ")} to be taken`;
  },
  idOf: ({ type, delivery_id, attempt }) =>
    `${String(type)} ${String(delivery_id)}${attempt === undefined ? "" : ` attempt ${String(attempt)}`}`,
});

function isForged({ mishap }: Row): boolean {
  return (mishap as { forged: boolean } | null)?.forged === true;
}

function asRow({ attempts: _attempts, ...delivery }: Row): Row {
  return delivery;
}

/** A row for each attempt, with the delivery's own fields; `status` stays the delivery's. */
function attemptsOf(delivery: Row): Row[] {
  const { attempts, ...common } = delivery as { attempts: Row[] };
  return [...attempts]
    .reverse()
    .map((attempt) => ({ ...attempt, ...common, answered: attempt.status, attempt: attempt.attempt }));
}

/** Endpoint → the mailbox it is. */
async function mailboxesOf(client: Client): Promise<Map<unknown, string>> {
  const found = new Map<unknown, string>();
  for await (const page of pagesOf<Row>("/webhook-endpoints", (path) => client.must("GET", path)))
    for (const { webhook_id, mailbox } of page)
      if (typeof mailbox === "string") found.set(webhook_id, mailbox);
  return found;
}
