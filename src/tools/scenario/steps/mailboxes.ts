import { pagesOf } from "../../../control-client.js";
import type { RunContext } from "../running/context.js";
import type { Row } from "../running/lists.js";

/** Deliveries meant that nobody has taken from their mailboxes, in words. */
export async function waitingInMailboxes(
  { baseline, client }: RunContext,
  isMeant: (delivery: Row) => boolean,
): Promise<string | undefined> {
  const mailboxes = new Map<unknown, string>();
  for await (const page of pagesOf<Row>("/webhook-endpoints", (path) => client.must("GET", path)))
    for (const { webhook_id, mailbox } of page)
      if (typeof mailbox === "string") mailboxes.set(webhook_id, mailbox);
  const waiting = (await baseline.since("deliveries"))
    .filter(({ webhook_id, status }) => mailboxes.has(webhook_id) && status === "pending")
    .filter(isMeant);
  if (waiting.length === 0) return undefined;
  const names = new Set(waiting.map(({ webhook_id }) => mailboxes.get(webhook_id)));
  return `${waiting.length} ${waiting.length === 1 ? "waits" : "wait"} in mailbox ${[...names].join(", ")} to be taken`;
}
