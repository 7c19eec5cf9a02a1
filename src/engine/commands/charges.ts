import {
  type Actor,
  CHARGE_RULES,
  type Charge,
  type ChargeTasks,
  expiredAtMs,
  isOpen,
  needsPrice,
  progressed,
  settle,
  transition,
} from "../../domain/charge.js";
import { paymentPostings, refundPostings, settlementPostings } from "../../domain/ledger.js";
import { type Pricing, samePricing } from "../../domain/pricing.js";
import { readWhitelabelRequest } from "../../domain/requests.js";
import { choose, type Subject } from "../../domain/scenario.js";
import { entryAt, entryAtExpiry, type PlannedEntry, verdictOn } from "../../domain/timeline.js";
import type { ChargeStatus } from "../../schema/common.js";
import { type ErrorDetails, invalid, isRefusal, type Refusal, refuse } from "../../schema/errors.js";
import type { CheckoutBody } from "../../schema/requests.js";
import { iso, withinTime } from "../../schema/time.js";
import type { Caller } from "../caller.js";
import { emit } from "../events.js";
import { idOf, referenceOf } from "../ids.js";
import { post } from "../ledger.js";
import type { Task } from "../records.js";
import { askedScenario, scenariosFor } from "../scenarios.js";
import type { Command, Transaction } from "../transaction.js";
import { chargeDetailJson, keepViews } from "../views.js";
import { priceCharge, pricedByDefault } from "./methods.js";
import { validQuote } from "./quotes.js";

const MINUTE_MS = 60_000;

/** Creates a checkout and starts the payment in one (specification: POST whitelabel). */
export function createWhitelabel(
  caller: Caller,
  raw: unknown,
  scenarioHeader: string | null,
): Command<Charge | Refusal> {
  return (tx) => {
    const { organization } = caller;
    const asked = askedScenario(tx.state, scenarioHeader, (raw as { metadata?: unknown } | null)?.metadata);
    const request = readWhitelabelRequest(
      tx.catalogue,
      organization,
      raw,
      asked.fault === undefined ? {} : { sandbox_scenario: asked.fault },
    );
    if (isRefusal(request)) return request;
    const { body, method, pricing } = request;
    const quote = validQuote(tx, caller, body.quote_id);
    if (isRefusal(quote)) return quote;

    const mismatches: ErrorDetails = {};
    if (quote.payment_method !== method.id)
      mismatches.payment_method = `does not match the quote, which is for ${quote.payment_method}`;
    if (!samePricing(pricing, quote.pricing)) mismatches.pricing = "does not match the quote";
    if (body.payment_rail !== undefined && body.payment_rail !== quote.payment_rail)
      mismatches.payment_rail = `does not match the quote, which is for ${quote.payment_rail}`;
    if (Object.keys(mismatches).length > 0) return invalid(mismatches);

    const charge = newCharge(tx, caller, {
      kind: "whitelabel",
      body,
      pricing: quote.pricing,
      offeredMethods: [method.id],
      scenarioAsked: asked.name,
    });
    const currency = tx.catalogue.knownCurrency(quote.currency);
    const priced = priceCharge(tx, charge, {
      method,
      currency,
      rail: tx.catalogue.rails(method.id, currency.code).find((one) => one.id === quote.payment_rail),
      phoneNumber: body.phone_number ?? null,
      bankAccountNumber: body.bank_account_number ?? null,
      price: quote,
      walletAddress: quote.wallet_address,
    });
    return beginTimeline(tx, beginExpiry(tx, priced));
  };
}

export interface NewCharge {
  readonly kind: Charge["kind"];
  readonly body: Pick<
    CheckoutBody,
    | "customer_email"
    | "customer_name"
    | "metadata"
    | "expires_in_minutes"
    | "success_url"
    | "cancel_url"
    | "quote_id"
  >;
  readonly pricing: Pricing;
  readonly offeredMethods: readonly string[];
  readonly scenarioAsked: string | null;
}

/** A charge as it is before it has a price: in the base currency, and nothing due yet. */
export function newCharge(tx: Transaction, caller: Caller, wanted: NewCharge): Charge {
  const { body, pricing } = wanted;
  const bytes = tx.digest("charge");
  const lifeMs = (body.expires_in_minutes ?? tx.settings.limits.checkout_default_minutes) * MINUTE_MS;
  const expiresAtMs = withinTime(tx.atMs + lifeMs);
  return {
    charge_id: idOf("charge", bytes),
    checkout_id: tx.id("checkout"),
    organization_id: caller.organization.organization_id,
    amount: pricing.amount,
    currency: pricing.base_currency,
    status: "PENDING",
    provider_reference: referenceOf(bytes),
    created_at: tx.at,
    updated_at: tx.at,
    payment_method: null,
    payment_rail: null,
    customer_email: body.customer_email ?? null,
    customer_name: body.customer_name ?? null,
    metadata: body.metadata ?? {},
    fees: null,
    exchange_rate: null,
    settlement_amount: null,
    settled_at: null,
    failure_reason: null,
    payment_instructions: null,
    expires_at: iso(expiresAtMs),
    status_history: [{ status: "PENDING", at: tx.at }],
    seq: tx.next("charge_seq"),
    mode: caller.mode,
    kind: wanted.kind,
    success_url: body.success_url ?? null,
    cancel_url: body.cancel_url ?? null,
    offered_methods: wanted.offeredMethods,
    quote_id: body.quote_id ?? null,
    pricing,
    phone_number: null,
    bank_account_number: null,
    expires_at_ms: expiresAtMs,
    settlement_delay_ms: 0,
    scenario_asked: wanted.scenarioAsked,
    scenario: null,
    timeline: [],
    overruled: false,
    tasks: {},
    notes: [],
  };
}

export function beginExpiry(tx: Transaction, charge: Charge): Charge {
  const expiry = tx.schedule({
    due_ms: charge.expires_at_ms,
    rank: 0,
    kind: "expire",
    ref: charge.charge_id,
  });
  return withTask(charge, "expiry", expiry);
}

/** What the scenarios' rules are held against. */
export function chargeSubject(charge: Charge): Subject {
  return {
    metadata: charge.metadata,
    fields: {
      charge_id: charge.charge_id,
      mode: charge.mode,
      organization_id: charge.organization_id,
      currency: charge.currency,
      amount: charge.amount,
      customer_email: charge.customer_email,
      customer_name: charge.customer_name,
      payment_method: charge.payment_method,
      payment_rail: charge.payment_rail,
      phone_number: charge.phone_number,
      bank_account_number: charge.bank_account_number,
      base_currency: charge.pricing.base_currency,
      base_amount: charge.pricing.amount,
    },
  };
}

/** Finds the rule for the charge and freezes its timeline into it. */
export function matchScenario(tx: Transaction, charge: Charge): Charge {
  const choice = choose("charges", scenariosFor(tx.state, charge.scenario_asked), chargeSubject(charge));
  const matched = keepViews(charge, {
    ...charge,
    scenario: choice?.scenario ?? null,
    timeline: choice?.rule.timeline ?? [],
  });
  return charge.scenario_asked === null || choice?.scenario === charge.scenario_asked
    ? matched
    : withNote(
        matched,
        tx.at,
        `no rule of scenario ${charge.scenario_asked} matches; ${choice?.scenario ?? "none"} applies`,
      );
}

/** Finds the charge's timeline and plans its first entry; puts the charge. */
export function beginTimeline(tx: Transaction, charge: Charge): Charge {
  const matched = matchScenario(tx, charge);
  const first = plan(tx, matched, entryAt(matched.timeline, 0, tx.atMs, undefined));
  return putCharge(tx, withTask(matched, "timeline", first));
}

/** Plans an entry of the charge's timeline, if there is one to plan. */
function plan(tx: Transaction, charge: Charge, entry: PlannedEntry | undefined): number | undefined {
  if (entry === undefined) return undefined;
  const { step, dueMs: due_ms } = entry;
  return tx.schedule({ due_ms, rank: 1, kind: "timeline", ref: charge.charge_id, step });
}

/** The tasks with that one in the place of the one before; undefined is none. */
function tasksWith(tasks: ChargeTasks, name: keyof ChargeTasks, taskId: number | undefined): ChargeTasks {
  // All the names, so that every charge has the same shape; JSON shows those that are there.
  return {
    expiry: name === "expiry" ? taskId : tasks.expiry,
    timeline: name === "timeline" ? taskId : tasks.timeline,
    settlement: name === "settlement" ? taskId : tasks.settlement,
  };
}

function withTask(charge: Charge, name: keyof ChargeTasks, taskId: number | undefined): Charge {
  return taskId === charge.tasks[name] ? charge : withTasks(charge, tasksWith(charge.tasks, name, taskId));
}

function withTasks(charge: Charge, tasks: ChargeTasks): Charge {
  return tasks === charge.tasks ? charge : keepViews(charge, progressed(charge, charge, tasks));
}

function withoutTask(charge: Charge, name: keyof ChargeTasks): Charge {
  return withTask(charge, name, undefined);
}

function withNote(charge: Charge, at: string, note: string): Charge {
  return keepViews(charge, { ...charge, notes: [...charge.notes, { at, note }] });
}

/**
 * Changes a charge's status by way of `transition()` and carries out its effects: postings, tasks, the event.
 * Puts the charge and returns it, or refuses and leaves everything as it was.
 */
export function moveCharge(
  tx: Transaction,
  charge: Charge,
  to: ChargeStatus,
  actor: Actor,
  reason?: string,
): Charge | Refusal {
  const moved = carryOut(tx, charge, charge.tasks, to, actor, reason);
  return isRefusal(moved) ? moved : putMoved(tx, moved, moved.tasks);
}

interface Moved {
  /** Made by `transition()` just now. */
  readonly charge: Charge;
  /** What waits for it from now on. */
  readonly tasks: ChargeTasks;
}

/**
 * The one place where a record is completed after it was made: nobody has this one yet but its event, and no event
 * shows tasks. A copy would double what a transition costs in memory.
 */
function putMoved(tx: Transaction, { charge }: Moved, tasks: ChargeTasks): Charge {
  (charge as { tasks: ChargeTasks }).tasks = tasks;
  return putCharge(tx, charge);
}

function putCharge(tx: Transaction, charge: Charge): Charge {
  tx.put("charges", charge.charge_id, charge);
  return charge;
}

/** All of `moveCharge` but the put; `waiting` are the tasks in the place of the charge's own. */
function carryOut(
  tx: Transaction,
  charge: Charge,
  waiting: ChargeTasks,
  to: ChargeStatus,
  actor: Actor,
  reason?: string,
): Moved | Refusal {
  const moved = transition(charge, to, tx.atMs, actor, reason);
  if (moved === "illegal")
    return refuse("INVALID_TRANSITION", `A charge that is ${charge.status} cannot become ${to}.`);
  if (moved === "unpriced")
    return refuse(
      "INVALID_TRANSITION",
      `The charge cannot become ${to}: by none of its payment methods does the price come to anything.`,
    );
  const next = moved.charge;
  let tasks = waiting;
  for (const effect of moved.effects) {
    switch (effect.do) {
      case "post": {
        const refusal = postCharge(tx, next, effect.kind);
        if (refusal !== undefined) return refusal;
        break;
      }
      case "schedule_settlement": {
        const due_ms = tx.atMs + effect.afterMs;
        const task = tx.schedule({ due_ms, rank: 1, kind: "settle", ref: next.charge_id });
        tasks = tasksWith(tasks, "settlement", task);
        break;
      }
      case "cancel_task":
        if (tasks[effect.task] !== undefined) {
          tx.cancel(tasks[effect.task]);
          tasks = tasksWith(tasks, effect.task, undefined);
        }
        break;
      case "schedule_late_entries":
        tasks = tasksWith(tasks, "timeline", plan(tx, next, entryAtExpiry(next.timeline, tx.atMs)));
        break;
      case "emit":
        emit(tx, {
          type: effect.type,
          mode: next.mode,
          organizationId: next.organization_id,
          objectId: next.charge_id,
          source: next,
          toJson: chargeDetailJson,
          subject: () => chargeSubject(next),
          scenario: next.scenario_asked,
        });
        break;
    }
  }
  return { charge: next, tasks };
}

function postCharge(
  tx: Transaction,
  charge: Charge,
  kind: "payment" | "settlement" | "refund",
): Refusal | undefined {
  const { amount, settlement_amount, fees } = charge;
  if (settlement_amount === null || fees === null) throw new Error(`charge ${charge.charge_id} has no price`);
  const postings =
    kind === "payment"
      ? paymentPostings(amount, settlement_amount, fees.total_fee)
      : kind === "settlement"
        ? settlementPostings(settlement_amount)
        : refundPostings(amount, settlement_amount, fees.total_fee);
  const refusal = post(tx, {
    kind,
    mode: charge.mode,
    organizationId: charge.organization_id,
    currency: charge.currency,
    objectId: charge.charge_id,
    postings,
  });
  // A refund that lacks funds conflicts with the state of the account; the request itself was right.
  return refusal === undefined ? undefined : { ...refusal, status: 409 };
}

/** The expiry time has come. A charge that has moved on is left alone. */
export function expireCharge(task: Task): Command<void> {
  return (tx) => {
    tx.remove("tasks", task.task_id);
    const charge = tx.get("charges", task.ref);
    if (charge === undefined) return;
    const waiting = tasksWith(charge.tasks, "expiry", undefined);
    if (!isOpen(charge.status)) {
      putCharge(tx, withTasks(charge, waiting));
      return;
    }
    const moved = carryOut(tx, charge, waiting, "EXPIRED", "clock");
    if (isRefusal(moved)) throw new Error(moved.message);
    putMoved(tx, moved, moved.tasks);
  };
}

/** The next entry of a charge's timeline is due. One that is illegal by now is noted; the next counts from it all the same. */
export function runTimelineEntry(task: Task): Command<void> {
  return (tx) => {
    tx.remove("tasks", task.task_id);
    const found = tx.get("charges", task.ref);
    const step = task.step!;
    const entry = found?.timeline[step];
    if (found === undefined || entry === undefined) return;
    const waiting = tasksWith(found.tasks, "timeline", undefined);
    const isThere = verdictOn(CHARGE_RULES, found.status, entry.to) === "already";
    const moved = isThere
      ? undefined
      : tx.attempt(() => carryOut(tx, found, waiting, entry.to, "scenario", entry.reason));
    const following = (charge: Charge) =>
      plan(tx, charge, entryAt(charge.timeline, step + 1, tx.atMs, expiredAtMs(charge)));
    if (moved !== undefined && !isRefusal(moved)) {
      const { charge } = moved;
      // What comes after expiry was planned with it.
      const next = charge.status === "EXPIRED" ? undefined : following(charge);
      putMoved(tx, moved, next === undefined ? moved.tasks : tasksWith(moved.tasks, "timeline", next));
    } else {
      const why = moved === undefined ? `the charge is ${entry.to} already` : moved.message;
      const note = `timeline entry ${step + 1} (${entry.to}) did nothing: ${why}`;
      const tasks = tasksWith(waiting, "timeline", following(found));
      putCharge(tx, withTasks(withNote(found, tx.at, note), tasks));
    }
  };
}

/** Settlement that waited for confirmations or a delay. */
export function settleCharge(task: Task): Command<void> {
  return (tx) => {
    tx.remove("tasks", task.task_id);
    const found = tx.get("charges", task.ref);
    if (found === undefined) return;
    const charge = withoutTask(found, "settlement");
    const refusal = postCharge(tx, charge, "settlement");
    if (refusal !== undefined) throw new Error(`settlement of ${charge.charge_id}: ${refusal.message}`);
    tx.put("charges", charge.charge_id, settle(charge, tx.atMs));
  };
}

/** A person or test moves a charge by the control API. */
export function transitionCharge(
  chargeId: string,
  to: ChargeStatus,
  actor: Actor,
  reason?: string,
): Command<Charge | Refusal> {
  return (tx) => {
    const charge = tx.get("charges", chargeId);
    if (charge === undefined) return refuse("NOT_FOUND", "Charge not found");
    if (!needsPrice(charge, to)) return moveCharge(tx, charge, to, actor, reason);
    // Nobody has picked a method on the hosted page: then it is the one the checkout has by default.
    const priced = pricedByDefault(tx, charge);
    return moveCharge(tx, priced === undefined ? charge : matchScenario(tx, priced), to, actor, reason);
  };
}

/** The customer turns away, on the page or by the control API. */
export function cancelCharge(chargeId: string): Command<Charge | Refusal> {
  return transitionCharge(chargeId, "CANCELLED", "customer", "cancelled_by_customer");
}
