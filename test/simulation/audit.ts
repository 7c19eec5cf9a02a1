import { CHARGE_MOVES, DECIMALS } from "../support/contract.js";
import { decimalText } from "../support/fraction.js";
import { inUsd, units } from "../support/prices.js";
import { auditDeliveries } from "./audit-deliveries.js";
import type { Client, Json } from "./client.js";
import { demand, demandSame } from "./failure.js";
import { type Charge, chargeJson, iso, type Mode, type Model, withdrawalJson } from "./model.js";

export interface Actor {
  readonly key: string;
  readonly mode: Mode;
  readonly org: string;
  /** The local currency. The first read of balances opens it and US dollars. */
  readonly home: string;
}

export const ACTORS: readonly Actor[] = [
  { key: "sk_test_sandbox", mode: "test", org: "org_sandbox", home: "NGN" },
  { key: "sk_live_sandbox", mode: "live", org: "org_sandbox", home: "NGN" },
  { key: "sk_test_other", mode: "test", org: "org_other", home: "KES" },
];

export const ownedBy =
  ({ mode, org }: Actor) =>
  (one: { mode: string; org: string }) =>
    one.mode === mode && one.org === org;

export const as = ({ key }: Actor) => ({ authorization: `Bearer ${key}` });

/** Compares everything that the API shows with the model. */
export async function audit(client: Client, model: Model): Promise<void> {
  const idle = await client.send("POST", "/_sandbox/wait", { for: "idle", timeout: "20s" });
  demand(idle.status === 200, "time", () => `does not come to rest: ${idle.text}`);
  await auditClock(client, model);
  await auditCharges(client, model);
  const events = await auditEvents(client, model);
  await auditDeliveries(client, model, events);
  for (const actor of ACTORS) {
    await auditWithdrawals(client, model, actor);
    await auditBalances(client, model, actor);
  }
}

async function auditClock(client: Client, model: Model): Promise<void> {
  const { json, now } = await client.get("/_sandbox/clock");
  demandSame("time", "the clock", json.now, iso(model.state.nowMs));
  demandSame("time", "Sandbox-Now", now, iso(model.state.nowMs));
  const nextMs = model.next()?.atMs;
  if (nextMs !== undefined)
    demand(
      json.next_due !== null && Date.parse(json.next_due) <= nextMs,
      "time",
      () => `something is due at ${iso(nextMs)}, and the next thing is said to be at ${json.next_due}`,
    );
}

/** Checks that the statuses are in a legal order, and the times too. */
function auditHistory(moves: Readonly<Record<string, readonly string[]>>, id: string, history: Json[]): void {
  for (const [index, change] of history.entries()) {
    const before = history[index - 1];
    if (before === undefined) demandSame("transition", `${id} begins`, change.status, "PENDING");
    else {
      demand(
        (moves[before.status] ?? []).includes(change.status),
        "transition",
        () => `${id} went from ${before.status} to ${change.status}`,
      );
      demand(
        before.at <= change.at,
        "transition",
        () => `${id} went back in time: ${JSON.stringify(history)}`,
      );
    }
  }
}

async function auditCharges(client: Client, model: Model): Promise<void> {
  const seen = await client.all("/_sandbox/charges");
  for (const charge of seen) {
    const id = charge.charge_id;
    auditHistory(CHARGE_MOVES, id, charge.status_history);
    demandSame("transition", `${id}'s status`, charge.status, charge.status_history.at(-1)?.status);
    const { amount, settlement_amount, fees, currency, exchange_rate } = charge;
    if (settlement_amount === null) continue;
    const parts = units(settlement_amount, currency) + units(fees.total_fee, currency);
    demand(
      units(amount, currency) === parts,
      "price",
      () => `${id}: ${amount} is not ${settlement_amount} + ${fees.total_fee}`,
    );
    const price = model.state.charges.get(id)?.price;
    demandSame("price", id, { amount, currency, exchange_rate, settlement_amount, fees }, price);
  }
  demandSame(
    "charge",
    "the charges there are",
    seen.map((one) => one.charge_id),
    [...model.state.charges.keys()],
  );
  for (const { mode, kind, base_amount, base_currency, sandbox, ...report } of seen) {
    const { why, next_step, planned, webhooks: _, reversals: _1, ...detail } = report;
    demand(why.sentence !== "", "charge", () => `${detail.charge_id} says nothing of its status`);
    if (next_step !== null)
      demand(next_step.sentence !== "", "charge", () => `${detail.charge_id} says nothing of what is next`);
    const expected = model.state.charges.get(detail.charge_id)!;
    const overdue = planned.find(({ at }: { readonly at: string }) => Date.parse(at) < model.state.nowMs);
    demand(overdue === undefined, "charge", () => `${detail.charge_id} plans ${overdue?.to} in the past`);
    auditTooEarly(detail, model.state.nowMs);
    demandSame("charge", `${detail.charge_id} (${sandbox.scenario})`, detail, chargeJson(expected));
    const { pricing, scenario } = expected;
    const beside = [expected.mode, expected.kind, scenario, pricing.amount, pricing.base_currency];
    const seenBeside = [mode, kind, sandbox.scenario, base_amount, base_currency];
    demandSame("charge", `${detail.charge_id} beside`, seenBeside, beside);
  }
  await auditPayins(client, model);
}

/** Checks that no time in the record is in the future. */
function auditTooEarly(record: Json, nowMs: number): void {
  const times = [record.created_at, record.updated_at, record.settled_at ?? null];
  for (const { at } of record.status_history ?? []) times.push(at);
  for (const at of times)
    demand(at === null || Date.parse(at) <= nowMs, "too early", () => `${at} is later than ${iso(nowMs)}`);
}

/** Checks that each organization sees exactly its own charges. */
async function auditPayins(client: Client, model: Model): Promise<void> {
  for (const actor of ACTORS) {
    const own = [...model.state.charges.values()].filter(ownedBy(actor));
    const listed = await client.all("/api/v1/payments/payins", as(actor));
    demandSame(
      "list",
      `payins of ${actor.key}`,
      listed.map((one) => one.charge_id),
      own.map((one) => one.id),
    );
    const newest = own.at(-1);
    if (newest === undefined) continue;
    const { text } = await client.get(`/api/v1/payments/charges/${newest.id}`, as(actor));
    demandSame("charge", `${newest.id} as the service reads it`, text, chargeJson(newest));
    const { status } = newest;
    const { json } = await client.get(`/api/v1/payments/payins?status_filter=${status}&limit=1`, as(actor));
    const count = own.filter((one) => one.status === status).length;
    demandSame("list", `payins that are ${status}`, json.total, count);
    const stranger = ACTORS.find((one) => one !== actor)!;
    const foreign = await client.get(`/api/v1/payments/payins/${newest.id}`, as(stranger));
    demandSame("list", "another's charge", foreign.status, 404);
  }
}

async function auditWithdrawals(client: Client, model: Model, actor: Actor): Promise<void> {
  const seen = await client.all("/api/v1/payouts/withdrawals", as(actor));
  const own = [...model.state.withdrawals.values()].filter(ownedBy(actor));
  demandSame(
    "withdrawal",
    "those there are",
    seen.map((one) => one.withdrawal_id),
    own.map((one) => one.id),
  );
  for (const [index, one] of seen.entries()) {
    auditTooEarly(one, model.state.nowMs);
    demandSame("withdrawal", one.withdrawal_id, one, withdrawalJson(own[index]!));
  }
}

async function auditBalances(client: Client, model: Model, actor: Actor): Promise<void> {
  for (const code of ["USD", actor.home]) model.holding(actor.mode, actor.org, code);
  const { json } = await client.get("/api/v1/accounts/balances", as(actor));
  const place = `${actor.mode}|${actor.org}|`;
  const held = [...model.state.holdings].flatMap(([key, { available, pending }]) => {
    if (!key.startsWith(place)) return [];
    demand(available >= 0n && pending >= 0n, "balance", () => `the auditor's own ${key} is below zero`);
    return [{ code: key.slice(place.length), available, pending }];
  });
  const seen = json.balances.map(({ currency, available_balance, pending_balance }: Json) =>
    [currency, units(available_balance, currency), units(pending_balance, currency)].join(" "),
  );
  const expected = held.map(({ code, available, pending }) => [code, available, pending].join(" "));
  demandSame("balance", `${actor.key}'s accounts`, seen.sort(), expected.sort());
  const total = inUsd(
    held.map(({ code, available, pending }) => [code, available + pending]),
    model.state.rates,
  );
  demandSame("balance", `${actor.key}'s total in dollars`, json.total_balance_usd, total);
}

/** Checks that each change of status has one event with the charge of that moment. */
async function auditEvents(client: Client, model: Model): Promise<Json[]> {
  const seen = await client.all("/_sandbox/events");
  for (const charge of model.state.charges.values()) {
    const count = seen.filter((event) => event.charge_id === charge.id).length;
    const told = charge.history.length - 1 + charge.reversals.length;
    demandSame("one event each", `events of ${charge.id}`, count, told);
  }
  demandSame("one event each", "events in all", seen.length, model.state.events.length);
  for (const [index, event] of seen.entries()) {
    const { type, objectId, atMs, mode, org, data } = model.state.events[index]!;
    demandSame(
      "event",
      `number ${index}`,
      [event.type, event.charge_id ?? event.withdrawal_id, event.at],
      [type, objectId, iso(atMs)],
    );
    const payload = `{"id":"${event.event_id}","type":"${type}","timestamp":"${iso(atMs)}","mode":"${mode}","data":${data}}`;
    demandSame("event", `the body of number ${index}`, event.payload, payload);
    demandSame("event", `whose number ${index} is`, event.organization_id, org);
  }
  return seen;
}

/** Checks that ledger entries balance and sum to the balances. */
export async function auditLedger(client: {
  get(path: string): Promise<{ readonly json: Json }>;
}): Promise<void> {
  const { json } = await client.get("/_sandbox/state");
  const sums = new Map<string, bigint>();
  for (const [, entry] of json.collections.entries) {
    let sum = 0n;
    for (const { account, amount } of entry.postings) {
      const part = units(amount, entry.currency);
      sum += part;
      const key = `${entry.mode}|${entry.organization_id}|${entry.currency}|${account}`;
      sums.set(key, (sums.get(key) ?? 0n) + part);
    }
    demand(
      sum === 0n,
      "posting",
      () => `${entry.entry_id} does not balance: ${JSON.stringify(entry.postings)}`,
    );
  }
  const { json: shown } = await client.get("/_sandbox/balances?limit=100");
  for (const one of shown.items)
    for (const account of ["available", "pending"]) {
      const key = `${one.mode}|${one.organization_id}|${one.currency}|${account}`;
      const held = units(one[`${account}_balance`], one.currency);
      demandSame("posting", `the sum of ${key}`, held.toString(), (sums.get(key) ?? 0n).toString());
    }
  for (const [, entry] of json.collections.charges)
    auditHistory(CHARGE_MOVES, entry.charge_id, entry.status_history);
}

/** Checks the payment, settlement and refund of a charge in the ledger. */
export async function auditPostings(client: Client, model: Model, chargeId: string): Promise<void> {
  const charge = model.state.charges.get(chargeId)!;
  const { json } = await client.get(`/_sandbox/charges/${chargeId}/timeline`);
  const seen = json.items
    .filter((item: Json) => item.kind === "ledger")
    .map((item: Json) => [
      item.posting,
      ...item.postings.map(({ account, amount }: Json) => `${account} ${amount}`),
    ]);
  const expected: string[][] = [];
  if (charge.price !== null) {
    const { amount, currency, settlement_amount: rest, fees } = charge.price;
    if (charge.history.some((one) => one.status === "COMPLETED"))
      expected.push(["payment", `outside -${amount}`, `pending ${rest}`, `fees ${fees.total_fee}`]);
    if (charge.settledMs !== null) expected.push(["settlement", `pending -${rest}`, `available ${rest}`]);
    const before: Charge = { ...charge, reversals: [] };
    const giveBack = (kind: string, back: string) => {
      const shares = model.sharesOf(before, units(back, currency));
      const [available, fee] = [shares.merchant, shares.fees].map((one) =>
        decimalText(one, DECIMALS[currency]!),
      );
      expected.push([kind, `available -${available}`, `fees -${fee}`, `outside ${back}`]);
    };
    for (const one of charge.reversals) {
      giveBack(one.kind, one.amount);
      before.reversals = [...before.reversals, one];
    }
    if (charge.status === "REFUNDED")
      giveBack("refund", decimalText(model.leftOf(charge), DECIMALS[currency]!));
  }
  const zero = /^(\S+) -(0+\.0+)$/;
  const plainZero = (rows: string[][]) => rows.map((row) => row.map((text) => text.replace(zero, "$1 $2")));
  demandSame("posting", `those of ${chargeId}`, plainZero(seen), plainZero(expected));
}
