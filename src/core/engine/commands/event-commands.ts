import { type Charge, computeTransition } from "../../domain/charge-transition.js";
import { compareAmounts, toCanonicalAmount } from "../../domain/money.js";
import { payoutCurrencies } from "../../domain/requests/payout-requests.js";
import type { MatchSubject } from "../../domain/rule-matching.js";
import { transitionWithdrawal, type Withdrawal } from "../../domain/withdrawal.js";
import type { ChargeStatus, Mode, WithdrawalStatus } from "../../schema/common.js";
import { eventTypeOf, parseEventType } from "../../schema/event-types.js";
import { isJsonObject } from "../../schema/json-objects.js";
import { isRefusal, type Refusal, refuse } from "../../schema/refusals.js";
import { CHARGE_STATUS_TABLE } from "../../schema/statuses.js";
import { emitEvent, planDelivery } from "../event-emission.js";
import { chargeSubject, withdrawalSubject } from "../match-fields.js";
import type { Delivery, EventRecord } from "../records.js";
import type { Caller, Command, Transaction } from "../transaction.js";
import { chargeDetailView, withdrawalView } from "../wire-views.js";
import { buildCharge } from "./charge-commands.js";
import { priceAtMarket } from "./methods.js";
import { buildWithdrawal } from "./withdrawal-commands.js";

export interface Trigger {
  /** Event type, or its name on the wire. */
  readonly type: string;
  readonly mode: Mode;
  readonly chargeId?: string | undefined;
  /** Overrides fields of the charge or sample record. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** Accepts an unknown event type. Without a charge, the event has only the fields of `data`. */
  readonly force?: boolean | undefined;
}

/** Emits an event without a status change, for an existing charge or a sample record. */
export function triggerEvent(trigger: Trigger): Command<EventRecord | Refusal> {
  return (tx) => {
    const { event_names } = tx.settings;
    const type = eventTypeOf(trigger.type, event_names);
    const topic = topicOf(tx, trigger, type);
    if (isRefusal(topic)) return topic;
    const { charge } = topic;
    return emitEvent(tx, {
      type: type ?? trigger.type,
      owner: charge ?? { mode: trigger.mode, organization_id: null, scenario_asked: null },
      objectId: charge?.charge_id ?? null,
      data: JSON.stringify(merge(topic.record, trigger.data ?? {})),
      subject: () => topic.subject,
    });
  };
}

interface Topic {
  readonly record: object;
  readonly subject: MatchSubject;
  /** Undefined for a sample record. */
  readonly charge?: Charge;
}

function topicOf(tx: Transaction, trigger: Trigger, type: string | undefined): Topic | Refusal {
  const { chargeId, mode, force } = trigger;
  if (chargeId !== undefined) {
    const charge = tx.get("charges", chargeId);
    if (charge === undefined) return refuse("NOT_FOUND", "Charge not found");
    return { record: chargeDetailView(charge), subject: chargeSubject(charge), charge };
  }
  const meaning = force === true || type === undefined ? undefined : parseEventType(type);
  if (meaning === undefined) return { record: {}, subject: { fields: {}, metadata: {} } };
  if (meaning.object === "charge") {
    const charge = buildSampleCharge(tx, meaning.status, mode);
    return { record: chargeDetailView(charge), subject: chargeSubject(charge) };
  }
  const withdrawal = buildSampleWithdrawal(tx, meaning.status, mode);
  return { record: withdrawalView(withdrawal), subject: withdrawalSubject(withdrawal, undefined) };
}

type Step<Status> = readonly [afterMs: number, to: Status, reason?: string | undefined];

const MINUTE_MS = 60_000;

function chargeSteps(to: ChargeStatus, tx: Transaction): readonly Step<ChargeStatus>[] {
  const { sample } = CHARGE_STATUS_TABLE[to];
  if (sample === null) return [];
  const { from, afterMs = tx.settings.limits.checkout_default_minutes * MINUTE_MS, reason } = sample;
  return [...chargeSteps(from, tx), [afterMs, to, reason]];
}

const PROCESSING: Step<WithdrawalStatus> = [1_000, "PROCESSING"];
const WITHDRAWAL_STEPS: Readonly<Record<WithdrawalStatus, readonly Step<WithdrawalStatus>[]>> = {
  PENDING: [],
  PROCESSING: [PROCESSING],
  COMPLETED: [PROCESSING, [3_000, "COMPLETED"]],
  FAILED: [PROCESSING, [3_000, "FAILED", "rejected_by_bank"]],
  CANCELLED: [[1_000, "CANCELLED"]],
};

const SAMPLE_PRICE = { base_currency: "USD", amount: "25.00" };

/** Makes a sample charge that has just reached the status; stores nothing. */
function buildSampleCharge(tx: Transaction, status: ChargeStatus, mode: Mode): Charge {
  const steps = chargeSteps(status, tx);
  const scratch = scratchFor(tx, steps);
  const { catalogue } = tx;
  const caller = sampleCaller(tx, mode);
  const { organization } = caller;
  const method = catalogue.enabledMethods(organization)[0] ?? catalogue.fixtures.methods[0]!;
  const home = catalogue.homeCurrency(organization);
  const code = home !== undefined && method.currencies.includes(home.code) ? home.code : method.currencies[0];
  const currency = catalogue.requireCurrency(code ?? SAMPLE_PRICE.base_currency);
  const charge = buildCharge(scratch, caller, {
    kind: "whitelabel",
    body: {
      customer_email: "ada@shop.test",
      customer_name: "Ada Obi",
      metadata: { order_id: "1042" },
      expires_in_minutes: undefined,
    },
    pricing: SAMPLE_PRICE,
    offeredMethods: [method.id],
    scenarioAsked: null,
  });
  const choice = { method, currency, phoneNumber: null, bankAccountNumber: null };
  const priced = priceAtMarket(scratch, charge, choice);
  return steps.reduce((sample, [afterMs, to, reason]) => {
    const moved = computeTransition(sample, to, scratch.atMs + afterMs, "scenario", reason);
    if (typeof moved === "string") throw new Error(`a sample that is ${sample.status} cannot become ${to}`);
    return moved.charge;
  }, priced);
}

/** Makes a sample withdrawal that has just reached the status; stores nothing. */
function buildSampleWithdrawal(tx: Transaction, status: WithdrawalStatus, mode: Mode): Withdrawal {
  const steps = WITHDRAWAL_STEPS[status];
  const scratch = scratchFor(tx, steps);
  const { catalogue } = tx;
  const caller = sampleCaller(tx, mode);
  const payable = payoutCurrencies(catalogue);
  const home = catalogue.homeCurrency(caller.organization);
  const currency = payable.find((each) => each === home) ?? payable[0] ?? catalogue.requireCurrency("USD");
  const minimum = currency.minimum_withdrawal ?? "0";
  const withdrawal = buildWithdrawal(scratch, caller, {
    body: {
      destination_id: scratch.id("destination"),
      amount: toCanonicalAmount(compareAmounts(minimum, "100") > 0 ? minimum : "100", currency.decimals),
      reference: "payout-1042",
      metadata: { payout_id: "1042" },
    },
    currency,
    scenarioAsked: null,
  });
  return steps.reduce((sample, [afterMs, to, reason]) => {
    const moved = transitionWithdrawal(sample, to, scratch.atMs + afterMs, "scenario", reason);
    if (moved === "illegal") throw new Error(`a sample that is ${sample.status} cannot become ${to}`);
    return moved.withdrawal;
  }, withdrawal);
}

function sampleCaller({ catalogue }: Transaction, mode: Mode): Caller {
  return { key: "sample", mode, organization: catalogue.fixtures.organizations[0]! };
}

/** Returns a scratch transaction that starts in the past, so that the sample's last step happens now. */
function scratchFor(tx: Transaction, steps: readonly Step<string>[]): Transaction {
  const [durationMs] = steps.at(-1) ?? [0];
  return tx.createScratch(`sample ${tx.next("sample")}`, tx.atMs - durationMs);
}

/** Merges objects at every depth; lists and other values are replaced. */
function merge(record: unknown, changes: unknown): unknown {
  if (!isJsonObject(record) || !isJsonObject(changes)) return changes;
  const fields = new Map(Object.entries(record));
  for (const [name, value] of Object.entries(changes)) fields.set(name, merge(fields.get(name), value));
  return Object.fromEntries(fields);
}

/** Delivers an event to the same endpoint again, with new signatures. */
export function redeliver(deliveryId: string, times: number): Command<Delivery[] | Refusal> {
  return (tx) => {
    const delivery = tx.get("deliveries", deliveryId);
    const event = delivery && tx.get("events", delivery.event_id);
    const endpoint = delivery && tx.get("endpoints", delivery.webhook_id);
    if (event === undefined || endpoint === undefined) return refuse("NOT_FOUND", "Delivery not found");
    return Array.from({ length: times }, () => planDelivery(tx, event, endpoint, { skipsLane: true }));
  };
}
