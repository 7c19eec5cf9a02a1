import type { Charge } from "../../core/domain/charge-transition.js";
import type { Withdrawal } from "../../core/domain/withdrawal.js";
import type { Endpoint } from "../../core/engine/records.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { RequestEntry } from "../../core/namespace/request-journal.js";
import {
  failingReceiver,
  heldReceiver,
  refusedCalls,
  stuckPayments,
} from "../../core/reports/attention-text.js";
import { commandText } from "../../core/reports/payment-text.js";
import { requestTrouble } from "../../core/reports/request-text.js";
import { replacesResponse } from "../../core/reports/rule-text.js";
import type { ChargeStatus, Mode } from "../../core/schema/common.js";
import type { Attention } from "../../core/schema/control-insight-responses.js";
import { attentionQuerySchema } from "../../core/schema/control-log-requests.js";
import { hasEnded } from "../../core/schema/statuses.js";
import { iso } from "../../core/schema/time.js";
import { defineControlOperation, pageReply } from "./control-operation.js";
import { idOf, isStuck, verbByHand } from "./payment-report.js";
import { heldDeliveries, openFailures } from "./receivers.js";
import { modeOfRequest, requestEntryView } from "./requests.js";

/** Requests inspected, newest first. */
const REQUESTS_MAX = 200;
/** Groups of refused calls, those with the most calls. */
const CALLS_MAX = 6;

const KINDS: readonly Attention["kind"][] = [
  "receiver_failing",
  "call_refused",
  "receiver_held",
  "payment_stuck",
];

export const ATTENTION_OPERATIONS = [
  defineControlOperation({
    id: "listAttention",
    call: "GET /_sandbox/attention",
    summary: "List what is wrong",
    description:
      "What is wrong with payments, receivers and calls, worst first, each with what mends it. A refused call counts until a later call of its operation succeeds, and a call that a fault refused does not.",
    input: attentionQuerySchema,
    runsDueTasks: true,
    output: "AttentionList",
    run: ({ namespace, input }) => pageReply(attentionOf(namespace, input.mode), input),
  }),
];

/** Faults, worst first. */
function attentionOf(namespace: Namespace, mode?: Mode): Attention[] {
  const isInMode = (record: { readonly mode: Mode }) => mode === undefined || record.mode === mode;
  const receivers = namespace.engine.state.endpoints().filter((one) => one.enabled && isInMode(one));
  return [
    ...receivers.flatMap((endpoint) => receiverItem(namespace, endpoint) ?? []),
    ...callItems(namespace, mode),
    ...stuckItems(namespace, isInMode),
  ].sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || b.count - a.count);
}

const commandsFor = (namespace: Namespace) => (words: string) => commandText(words, namespace.name);

function receiverItem(namespace: Namespace, endpoint: Endpoint): Attention | undefined {
  const { webhook_id: object, url } = endpoint;
  const { total, items } = openFailures(namespace.engine.state, endpoint);
  const newest = items[0];
  if (newest !== undefined) {
    const givenUp = items.filter(({ status }) => status === "failed").length;
    const facts = { total, givenUp, attempt: newest.attempts.at(-1)! };
    const since = items.at(-1)!.attempts[0]!.at;
    const words = failingReceiver(endpoint, facts, commandsFor(namespace));
    return { kind: "receiver_failing", object, count: total, since, ...words };
  }
  // A mailbox holds its webhooks until they are taken.
  const held = url === null ? [] : heldDeliveries(namespace, endpoint);
  const holds = held.map((delivery) => namespace.findHold(delivery)!);
  if (holds.length === 0) return undefined;
  const since = holds.at(-1)!.since;
  const words = heldReceiver(endpoint, holds, commandsFor(namespace));
  return { kind: "receiver_held", object, count: holds.length, since, ...words };
}

/** Calls that failed alike, until a later call of the operation by the same sender succeeds. */
function callItems(namespace: Namespace, mode: Mode | undefined): Attention[] {
  const groups = new Map<string, RequestEntry[]>();
  const mended = new Set<string>();
  for (const entry of namespace.journal.entries().slice(0, REQUESTS_MAX)) {
    const { inFlight, status, method, operation, path, runner, faultRule } = entry;
    if (mode !== undefined && modeOfRequest(entry) !== mode) continue;
    const call = `${method} ${operation ?? path}`;
    const sender = `${call} ${runner ?? ""}`;
    if (status !== null && status < 400) mended.add(sender);
    const isMadeByFault = faultRule !== undefined && replacesResponse(faultRule);
    if (inFlight || isMadeByFault || mended.has(sender)) continue;
    const key = `${call} ${status} ${requestTrouble(requestEntryView(entry))}`;
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()]
    .sort((a, b) => b.length - a.length)
    .slice(0, CALLS_MAX)
    .map((alike) => ({
      kind: "call_refused",
      object: String(alike[0]!.id),
      count: alike.length,
      since: iso(alike.at(-1)!.atMs),
      ...refusedCalls(requestEntryView(alike[0]!), alike.length, commandsFor(namespace)),
    }));
}

/** Unfinished payments for which nothing is scheduled, by scenario. */
function stuckItems(namespace: Namespace, isInMode: (record: Charge | Withdrawal) => boolean): Attention[] {
  const { state } = namespace.engine;
  const isOpen = (record: Charge | Withdrawal) =>
    isInMode(record) && !hasEnded(record.status as ChargeStatus);
  const open = [...state.allOfKinds("charges", isOpen), ...state.allOfKinds("withdrawals", isOpen)];
  const groups = new Map<string, (Charge | Withdrawal)[]>();
  for (const payment of open.filter((one) => isStuck(state, one))) {
    const key = `${"charge_id" in payment} ${payment.scenario}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [payment]);
    else group.push(payment);
  }
  return [...groups.values()].map((alike) => {
    const newest = alike[0]!;
    const noun = "charge_id" in newest ? "charge" : "withdrawal";
    const facts = { noun, id: idOf(newest), scenario: newest.scenario, verb: verbByHand(state, newest) };
    return {
      kind: "payment_stuck",
      object: facts.id,
      count: alike.length,
      since: alike.map(({ updated_at }) => updated_at).sort()[0]!,
      ...stuckPayments(facts, alike.length, commandsFor(namespace)),
    };
  });
}
