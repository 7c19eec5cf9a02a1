import { CHARGE_STATUSES, WITHDRAWAL_STATUSES } from "../../schema/common.js";
import { ERROR_STATUS } from "../../schema/errors.js";
import { OPERATIONS } from "../operations.js";
import type { JournalEntry, World } from "../ports.js";
import { ok, type Reply } from "../reply.js";
import type { ControlCall } from "./operations.js";

/** Codes that only the control API answers with. */
const CONTROL_CODES = new Set(["WAIT_TIMEOUT", "INVALID_TRANSITION", "CLOCK_BUSY", "NAMESPACE_EXISTS"]);

/** What the app has met so far of what the service can do, and what it has not. */
export function coverage({ world }: ControlCall): Reply {
  world.settle();
  const { tally } = world;
  const events = [
    ...CHARGE_STATUSES.filter((status) => status !== "PENDING").map(
      (status) => `charge.${status.toLowerCase()}`,
    ),
    ...WITHDRAWAL_STATUSES.filter((status) => status !== "PENDING").map(
      (status) => `withdrawal.${status.toLowerCase()}`,
    ),
  ];
  return ok({
    operations: split(
      OPERATIONS.map((operation) => operation.id),
      tally.operations,
    ),
    statuses: split(CHARGE_STATUSES, tally.statuses),
    events: split(events, tally.events),
    error_codes: split(
      Object.keys(ERROR_STATUS).filter((code) => !CONTROL_CODES.has(code)),
      tally.errorCodes,
    ),
  });
}

function split(known: readonly string[], met: ReadonlyMap<string, number>) {
  return {
    met: Object.fromEntries(known.filter((name) => met.has(name)).map((name) => [name, met.get(name)])),
    not_met: known.filter((name) => !met.has(name)),
  };
}

interface Advice {
  readonly advice: string;
  readonly why: string;
  readonly times: number;
  readonly example: string;
}

const BALANCE_POLL_MS = 10_000;
const POLL_LIMIT_MS = 15 * 60_000;
const POLLS_WITHOUT_BACKOFF = 5;
const SLOW_ANSWER_MS = 5_000;

/** What the app did against what the service advises (specification: Limits, Events). */
export function advice({ world }: ControlCall): Reply {
  world.settle();
  const entries = world.journal.entries().reverse();
  const found = [...balancePolling(entries), ...chargePolling(world, entries), ...webhookAnswers(world)];
  return ok({ total: found.length, items: found });
}

function told(advice: string, why: string, examples: readonly string[]): Advice[] {
  return examples.length === 0 ? [] : [{ advice, why, times: examples.length, example: examples[0]! }];
}

function balancePolling(entries: readonly JournalEntry[]): Advice[] {
  const reads = entries.filter((entry) => entry.operation === "getBalances");
  const tooSoon = reads.filter((entry, index) => {
    const gap = index === 0 ? Number.NaN : Date.parse(entry.at) - Date.parse(reads[index - 1]!.at);
    // A restore puts time back: what was read before it is no measure for what comes after.
    return gap >= 0 && gap < BALANCE_POLL_MS;
  });
  return told(
    "Read balances at most every 10 seconds; 30 to 60 are enough.",
    "balances were read again too soon",
    tooSoon.map((entry) => `request ${entry.id} at ${entry.at}`),
  );
}

function chargePolling(world: World, entries: readonly JournalEntry[]): Advice[] {
  const reads = new Map<string, JournalEntry[]>();
  for (const entry of entries) {
    if (entry.operation !== "getCharge" && entry.operation !== "getPayin") continue;
    const id = entry.path.split("/").at(-1)!;
    reads.set(id, [...(reads.get(id) ?? []), entry]);
  }
  const flat: string[] = [];
  const late: string[] = [];
  for (const [id, polls] of reads) {
    const gaps = polls.slice(1).map((poll, index) => Date.parse(poll.at) - Date.parse(polls[index]!.at));
    const passing = gaps.filter((gap) => gap > 0);
    if (passing.length >= POLLS_WITHOUT_BACKOFF && passing.at(-1)! <= passing[0]!)
      flat.push(`${polls.length} reads of ${id}`);
    const charge = world.engine.state.get("charges", id);
    const last = polls.at(-1)!;
    if (charge !== undefined && Date.parse(last.at) - Date.parse(charge.created_at) > POLL_LIMIT_MS)
      late.push(`${id} at ${last.at}`);
  }
  return [
    ...told("Poll a charge with growing pauses.", "a charge was polled at the same pace", flat),
    ...told("Stop polling a charge after 10 to 15 minutes.", "a charge was polled for longer", late),
  ];
}

function webhookAnswers(world: World): Advice[] {
  const { state } = world.engine;
  const attempts = state
    .page("deliveries", "deliveries", 0, state.count("deliveries"))
    .flatMap((delivery) => delivery.attempts.map((attempt) => ({ delivery, attempt })));
  const place = ({ delivery, attempt }: (typeof attempts)[number]): string =>
    `${delivery.delivery_id} at ${attempt.at}`;
  return [
    ...told(
      "Answer a webhook at once and do the work afterwards.",
      "webhooks were answered late",
      attempts.filter(({ attempt }) => attempt.duration_ms > SLOW_ANSWER_MS).map(place),
    ),
    ...told(
      "Answer a webhook with 2xx; redirects are not followed.",
      "webhooks were answered with a redirect",
      attempts
        .filter(({ attempt }) => (attempt.status ?? 0) >= 300 && (attempt.status ?? 0) < 400)
        .map(place),
    ),
  ];
}
