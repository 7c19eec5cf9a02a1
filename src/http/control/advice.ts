import type { Attempt, Delivery } from "../../engine/records.js";
import type { Namespace } from "../../namespace/namespace.js";
import type { JournalEntry } from "../../namespace/served-request.js";
import { isPolledWithoutBackoff } from "./polling.js";

interface Advice {
  readonly advice: string;
  readonly why: string;
  readonly times: number;
  readonly example: string;
}

const BALANCE_POLL_MS = 10_000;
const POLL_LIMIT_MS = 15 * 60_000;
const SLOW_ANSWER_MS = 5_000;

/** What the app did against what the service advises (specification: Limits, Events). */
export function adviceFor(namespace: Namespace): Advice[] {
  const entries = namespace.journal.entries().reverse();
  return [
    ...balancePolling(namespace, entries),
    ...chargePolling(namespace, entries),
    ...webhookAnswers(namespace),
  ];
}

function told(advice: string, why: string, examples: readonly string[]): Advice[] {
  return examples.length === 0 ? [] : [{ advice, why, times: examples.length, example: examples[0]! }];
}

function balancePolling(namespace: Namespace, entries: readonly JournalEntry[]): Advice[] {
  const tooSoon: JournalEntry[] = [];
  const lastMs = new Map<string, number>();
  for (const entry of entries) {
    const account = entry.operation === "getBalances" ? accountOf(namespace, entry.apiKey) : undefined;
    if (account === undefined) continue;
    const atMs = Date.parse(entry.at);
    const gap = atMs - (lastMs.get(account) ?? Number.NaN);
    // A restore puts time back: what was read before it is no measure for what comes after.
    if (gap >= 0 && gap < BALANCE_POLL_MS) tooSoon.push(entry);
    lastMs.set(account, atMs);
  }
  return told(
    "Read balances at most every 10 seconds; 30 to 60 are enough.",
    "balances were read again too soon",
    tooSoon.map((entry) => `request ${entry.id} at ${entry.at}`),
  );
}

/** Whose balances a key reads: each organization has its own in each mode. Nobody's are read with a wrong key. */
function accountOf(namespace: Namespace, apiKey: string | null): string | undefined {
  const key = apiKey === null ? undefined : namespace.findKey(apiKey);
  return key && `${key.organization_id} ${key.key.startsWith("sk_live_") ? "live" : "test"}`;
}

function chargePolling(namespace: Namespace, entries: readonly JournalEntry[]): Advice[] {
  const reads = new Map<string, JournalEntry[]>();
  for (const entry of entries) {
    if (entry.operation !== "getCharge" && entry.operation !== "getPayin") continue;
    const id = entry.path.split("/").at(-1)!;
    const polls = reads.get(id);
    if (polls === undefined) reads.set(id, [entry]);
    else polls.push(entry);
  }
  const flat: string[] = [];
  const late: string[] = [];
  for (const [id, polls] of reads) {
    if (isPolledWithoutBackoff(polls.map(({ at }) => Date.parse(at))))
      flat.push(`${polls.length} reads of ${id}`);
    const charge = namespace.engine.state.get("charges", id);
    const last = polls.at(-1)!;
    if (charge !== undefined && Date.parse(last.at) - Date.parse(charge.created_at) > POLL_LIMIT_MS)
      late.push(`${id} at ${last.at}`);
  }
  return [
    ...told("Poll a charge with growing pauses.", "a charge was polled at the same pace", flat),
    ...told("Stop polling a charge after 10 to 15 minutes.", "a charge was polled for longer", late),
  ];
}

function webhookAnswers(namespace: Namespace): Advice[] {
  const late: string[] = [];
  const redirected: string[] = [];
  for (const delivery of namespace.engine.state.tables.deliveries.values())
    for (const attempt of delivery.attempts) {
      const { duration_ms, status } = attempt;
      if (duration_ms > SLOW_ANSWER_MS) late.push(placeOf(delivery, attempt));
      if (status !== null && status >= 300 && status < 400) redirected.push(placeOf(delivery, attempt));
    }
  // The example is the newest.
  return [
    ...told(
      "Answer a webhook at once and do the work afterwards.",
      "webhooks were answered late",
      late.reverse(),
    ),
    ...told(
      "Answer a webhook with 2xx; redirects are not followed.",
      "webhooks were answered with a redirect",
      redirected.reverse(),
    ),
  ];
}

function placeOf({ delivery_id }: Delivery, { at }: Attempt): string {
  return `${delivery_id} at ${at}`;
}
