import { DECIMALS, METHOD_CURRENCIES } from "../support/contract.js";
import { decimalText } from "../support/fraction.js";
import { type Price, type Pricing, priceOf } from "../support/prices.js";
import { type Actor, as, ownedBy } from "./audit.js";
import type { Json } from "./client.js";
import { demand, demandSame } from "./failure.js";
import { type Charge, durationMs, iso, type Model, type Quote } from "./model.js";
import {
  actorOf,
  amountIn,
  anyCharge,
  control,
  expectInvalid,
  expectOk,
  expectRefused,
  noteId,
  ownerOf,
  post,
  STATUSES,
  type World,
} from "./world.js";

const METHODS = Object.keys(METHOD_CURRENCIES);
const QUOTE_MS = durationMs("30s");
const LOCK_MS = durationMs("10m");
const PHONE = "+254700000001";
/** Scenario names; the model reads their rules from the sandbox. */
const NAMES =
  "success instant declined paid_late refunded slow stuck webhook_chaos webhook_outage own_0 own_1".split(
    " ",
  );

function pricingFor(world: World, method: string): { pricing: Pricing; to: string } {
  const { random } = world;
  const to = random.pick(METHOD_CURRENCIES[method]!);
  const base = random.chance(0.6) ? to : random.pick(Object.keys(DECIMALS));
  const isCoin = base === "BTC" || base === "ETH";
  const amount = amountIn(world, base, isCoin ? 0 : 1, isCoin ? 2 : 9_000);
  // Some amounts have more digits than a double can store.
  const digits = world.counter % 16 === 5 ? "12345678901234567890" : "";
  const pricing: Pricing = {
    base_currency: base,
    amount: digits + (amount.startsWith("0.0") ? `0.01${amount.slice(4)}` : amount),
  };
  if (base !== "USD" || !random.chance(0.4)) return { pricing, to };
  return { pricing: { ...pricing, local_pricing: { [to]: amountIn(world, to, 1, 5_000) } }, to };
}

function isNothing(amount: string): boolean {
  return !/[1-9]/.test(amount);
}

export async function makeQuote(world: World, actor = actorOf(world)): Promise<Quote | undefined> {
  const { model, random } = world;
  const method = random.pick(METHODS);
  const { pricing, to } = pricingFor(world, method);
  const madeMs = model.state.nowMs;
  const body = { pricing, payment_method: method, to_currency: to };
  const answer = await post(world, actor, "/payments/quotes", body);
  const price = priceOf(model.state.rates, pricing, to, method);
  if (isNothing(price.settlement_amount)) {
    expectInvalid(answer, "pricing.amount");
    return undefined;
  }
  const made = expectOk(answer);
  const { amount, currency, exchange_rate, settlement_amount, fees } = made;
  demandSame("price", "a quote", { amount, currency, exchange_rate, settlement_amount, fees }, price);
  const life = [made.created_at, made.expires_at, made.locked_until];
  demandSame("quote", "its life", life, [iso(madeMs), iso(madeMs + QUOTE_MS), iso(madeMs + LOCK_MS)]);
  noteId(world, made.quote_id);
  const { mode, org } = actor;
  const quote: Quote = { id: made.quote_id, mode, org, method, pricing, price, madeMs };
  model.state.quotes.set(quote.id, quote);
  return quote;
}

function newCharge(
  world: World,
  actor: Actor,
  made: Json,
  part: Pick<Charge, "kind" | "pricing" | "offered" | "quoteId" | "method" | "price" | "asked">,
  minutes: number,
  email: string | null,
): Charge {
  const { model } = world;
  const { nowMs } = model.state;
  noteId(world, made.charge_id);
  return {
    ...part,
    id: made.charge_id,
    checkoutId: made.checkout_id,
    mode: actor.mode,
    org: actor.org,
    status: "PENDING",
    createdMs: nowMs,
    updatedMs: nowMs,
    expiresMs: nowMs + minutes * 60_000,
    failure: null,
    settledMs: null,
    reversals: [],
    history: [{ status: "PENDING", atMs: nowMs }],
    timeline: [],
    entry: undefined,
    expiry: undefined,
    settlement: undefined,
    scenario: null,
    subject: { metadata: {}, fields: {} },
    fixed: { customer_email: email, customer_name: null },
  };
}

/** The fields of a charge that rules match. */
function chargeFields(charge: Charge): Record<string, string | null> {
  const { method } = charge;
  return {
    mode: charge.mode,
    currency: charge.price?.currency ?? charge.pricing.base_currency,
    amount: charge.price?.amount ?? charge.pricing.amount,
    base_currency: charge.pricing.base_currency,
    base_amount: charge.pricing.amount,
    payment_method: method,
    phone_number: method === "mobile_money" ? PHONE : null,
    customer_email: charge.fixed.customer_email as string | null,
  };
}

/** Takes the constant fields of a charge from its first read. */
async function keepFixed(world: World, charge: Charge): Promise<void> {
  const { json } = await world.client.get(`/_sandbox/charges/${charge.id}`);
  demandSame("charge", "who pays", json.customer_email, charge.fixed.customer_email);
  charge.fixed = json;
}

export async function payWhitelabel(world: World): Promise<void> {
  const { model, random } = world;
  const actor = actorOf(world);
  const old = [...model.state.quotes.values()].filter(ownedBy(actor));
  const quote =
    old.length > 0 && random.chance(0.35) ? random.pick(old.slice(-6)) : await makeQuote(world, actor);
  if (quote === undefined) return;
  const { method, pricing } = quote;
  const minutes = random.pick([1, 2, 60, undefined]);
  const email = `c${world.counter++}@${random.pick(["sim", "shop"])}.test`;
  const name = random.chance(0.4) ? random.pick(NAMES) : null;
  const isInMetadata = name !== null && random.chance(0.5);
  const metadata: Record<string, string> = {
    order: String(world.counter),
    ...(isInMetadata ? { sandbox_scenario: name } : {}),
  };
  const body = {
    quote_id: quote.id,
    pricing,
    payment_method: method,
    customer_email: email,
    metadata,
    ...(method === "mobile_money" ? { phone_number: PHONE } : {}),
    ...(method === "bank_transfer" ? { bank_account_number: "0123456789" } : {}),
    ...(minutes === undefined ? {} : { expires_in_minutes: minutes }),
  };
  const headers: Record<string, string> = name === null || isInMetadata ? {} : { "sandbox-scenario": name };
  const answer = await post(world, actor, "/payments/whitelabel", body, headers);
  if (name !== null && !model.state.scenarios.has(name)) return expectInvalid(answer, "sandbox_scenario");
  if (model.state.nowMs >= quote.madeMs + QUOTE_MS) {
    demand(answer.status === 400, "quote", () => `${quote.id} is too old, and was taken: ${answer.text}`);
    return expectInvalid(answer, "quote_id");
  }
  demand(answer.status !== 400, "quote", () => `${quote.id} is good, and was refused: ${answer.text}`);
  const made = expectOk(answer);
  const { amount, currency } = quote.price;
  demandSame("price", "what the customer pays", [made.amount, made.currency], [amount, currency]);
  const charge = newCharge(
    world,
    actor,
    made,
    {
      kind: "whitelabel",
      pricing,
      offered: [method],
      quoteId: quote.id,
      method,
      price: quote.price,
      asked: name,
    },
    minutes ?? 60,
    email,
  );
  charge.subject = { metadata, fields: chargeFields(charge) };
  model.state.charges.set(charge.id, charge);
  model.planExpiry(charge);
  model.begin("charges", charge);
  const [first] = charge.timeline;
  const awaitsAtOnce =
    first?.to === "AWAITING_PAYMENT" && first.after !== undefined && durationMs(first.after) === 0;
  demandSame("answer", "a new checkout", made.status, awaitsAtOnce ? "AWAITING_PAYMENT" : "PENDING");
  await keepFixed(world, charge);
  model.passTo(model.state.nowMs);
}

export async function openCheckout(world: World): Promise<void> {
  const { model, random } = world;
  const actor = actorOf(world);
  const quote = random.chance(0.4) ? await makeQuote(world, actor) : undefined;
  const pricing = quote?.pricing ?? pricingFor(world, random.pick(METHODS)).pricing;
  const name = random.chance(0.3) ? random.pick(NAMES.filter((one) => model.state.scenarios.has(one))) : null;
  const minutes = random.pick([1, 3, 1440]);
  const answer = await post(
    world,
    actor,
    "/payments/checkouts",
    { pricing, expires_in_minutes: minutes, ...(quote === undefined ? {} : { quote_id: quote.id }) },
    name === null ? {} : { "sandbox-scenario": name },
  );
  const made = expectOk(answer);
  const part = {
    kind: "hosted",
    pricing,
    offered: made.payment_methods,
    quoteId: quote?.id ?? null,
    method: null,
    price: quote?.price ?? null,
    asked: name,
  } as const;
  const charge = newCharge(world, actor, made, part, minutes, null);
  // A quote sets the price and the only method.
  const { amount, currency } = quote?.price ?? { amount: pricing.amount, currency: pricing.base_currency };
  demandSame("price", "the price of a checkout", [made.amount, made.currency], [amount, currency]);
  if (quote !== undefined) demandSame("charge", "the methods offered", made.payment_methods, [quote.method]);
  charge.subject = { metadata: {}, fields: chargeFields(charge) };
  model.state.charges.set(charge.id, charge);
  model.planExpiry(charge);
  await keepFixed(world, charge);
  model.passTo(model.state.nowMs);
}

/** Selects a method on the hosted page, or leaves the page. */
export async function visitPage(world: World): Promise<void> {
  const { model, random } = world;
  const hosted = [...model.state.charges.values()].filter((one) => one.kind === "hosted");
  if (hosted.length === 0) return openCheckout(world);
  const charge = random.pick(hosted.slice(-8));
  if (random.chance(0.15)) return cancel(world, charge);
  const quote = charge.quoteId === null ? undefined : model.state.quotes.get(charge.quoteId);
  const method = quote !== undefined && random.chance(0.7) ? quote.method : random.pick(METHODS);
  const named = random.chance(0.2)
    ? undefined
    : quote?.method === method && random.chance(0.9)
      ? quote.price.currency
      : random.pick(METHOD_CURRENCIES[method]!);
  const answer = await control(world, "POST", `/checkouts/${charge.checkoutId}/pay`, {
    payment_method: method,
    ...(named === undefined ? {} : { currency: named }),
    ...(method === "mobile_money" ? { phone_number: PHONE } : {}),
  });
  if (!waitsForMethod(charge)) return expectRefused(answer, 409, "INVALID_TRANSITION");
  if (!charge.offered.includes(method)) return expectInvalid(answer, "payment_method");
  if (named !== undefined && charge.price !== null && named !== charge.price.currency)
    return expectInvalid(answer, "currency");
  const price = priceBy(world, charge, method, named);
  if (isNothing(price.settlement_amount)) return expectInvalid(answer, "currency");
  expectOk(answer);
  take(charge, { method, price, phone: method === "mobile_money" ? PHONE : null }, answer.json);
  model.moveCharge(charge, "AWAITING_PAYMENT", "api");
  model.begin("charges", charge);
  model.passTo(model.state.nowMs);
}

function waitsForMethod(charge: Charge): boolean {
  return charge.status === "PENDING" && charge.method === null;
}

function heldQuote({ model }: World, charge: Charge): Quote | undefined {
  const quote = charge.quoteId === null ? undefined : model.state.quotes.get(charge.quoteId);
  return quote !== undefined && model.state.nowMs < quote.madeMs + LOCK_MS ? quote : undefined;
}

/** Price of a hosted charge for a method and currency. */
function priceBy(world: World, charge: Charge, method: string, named?: string): Price {
  const held = heldQuote(world, charge);
  if (held !== undefined) return held.price;
  if (charge.status === "EXPIRED" && charge.price !== null) return charge.price;
  const { base_currency } = charge.pricing;
  const own = METHOD_CURRENCIES[method]!;
  const to = named ?? charge.price?.currency ?? (own.includes(base_currency) ? base_currency : own[0]!);
  return priceOf(world.model.state.rates, charge.pricing, to, method);
}

interface Choice {
  readonly method: string;
  readonly price: Price;
  readonly phone: string | null;
}

/** The method that a manual transition selects for the customer. */
function defaultChoice(world: World, charge: Charge): Choice | undefined {
  return charge.offered
    .map((method) => ({ method, price: priceBy(world, charge, method), phone: null }))
    .find(({ price }) => !isNothing(price.settlement_amount));
}

/** Sets the charge's method and instructions. */
function take(charge: Charge, { method, price, phone }: Choice, answer: Json): void {
  charge.method = method;
  charge.price = price;
  charge.subject = { metadata: {}, fields: { ...chargeFields(charge), phone_number: phone } };
  const { payment_method, payment_rail, payment_instructions } = answer;
  charge.fixed = { ...charge.fixed, payment_method, payment_rail, payment_instructions };
}

async function cancel(world: World, charge: Charge): Promise<void> {
  const answer = await control(world, "POST", `/checkouts/${charge.checkoutId}/cancel`);
  const fault = world.model.chargeFault(charge, "CANCELLED");
  if (fault !== undefined) return expectRefused(answer, 409, fault);
  expectOk(answer);
  world.model.moveCharge(charge, "CANCELLED", "person", "cancelled_by_customer");
}

/** Makes a legal or illegal manual transition. */
export async function moveByHand(world: World): Promise<void> {
  const { model, random } = world;
  const charge = anyCharge(world);
  if (charge === undefined) return;
  const to = random.pick(STATUSES);
  const reason = random.chance(0.4) ? "by hand" : undefined;
  const isRefund = to === "REFUNDED" && random.chance(0.5);
  const answer = isRefund
    ? await control(world, "POST", `/charges/${charge.id}/refund`, { reason })
    : await control(world, "POST", `/charges/${charge.id}/transition`, { to, reason });
  const fault = model.chargeFault(charge, to);
  if (fault !== undefined) return expectRefused(answer, 409, fault);
  if (charge.method === null && ["AWAITING_PAYMENT", "PROCESSING", "COMPLETED"].includes(to)) {
    const choice = defaultChoice(world, charge);
    if (choice === undefined) return expectRefused(answer, 409, "INVALID_TRANSITION");
    demandSame("charge", `${charge.id}, its method`, expectOk(answer).payment_method, choice.method);
    take(charge, choice, answer.json);
    model.match("charges", charge);
  }
  expectOk(answer);
  model.moveCharge(charge, to, "person", reason);
  model.passTo(model.state.nowMs);
}

/** Refunds a completed charge. */
export async function refund(world: World): Promise<void> {
  const { model, random } = world;
  const paid = [...model.state.charges.values()].filter((one) => one.status === "COMPLETED");
  if (paid.length === 0) return moveByHand(world);
  const charge = random.pick(paid);
  const answer = await control(world, "POST", `/charges/${charge.id}/refund`, {});
  const fault = model.chargeFault(charge, "REFUNDED");
  if (fault !== undefined) return expectRefused(answer, 409, fault);
  expectOk(answer);
  model.moveCharge(charge, "REFUNDED", "person");
}

/** Completes a charge, so that there is something to refund. */
async function completeOne(world: World): Promise<void> {
  const { model } = world;
  const charge = [...model.state.charges.values()].find(
    (one) => one.method !== null && model.chargeFault(one, "COMPLETED") === undefined,
  );
  if (charge === undefined) return;
  const path = `/charges/${charge.id}/transition`;
  expectOk(await control(world, "POST", path, { to: "COMPLETED" }));
  model.moveCharge(charge, "COMPLETED", "person");
  model.passTo(model.state.nowMs);
}

/** Returns some or all of the remaining amount to the customer. */
export async function takeBack(world: World): Promise<void> {
  const { model, random } = world;
  await completeOne(world);
  const paid = [...model.state.charges.values()].filter((one) => one.status === "COMPLETED");
  const held = ({ mode, org, price }: Charge) => model.holding(mode, org, price!.currency).available;
  const costOf = (one: Charge, amount: bigint) => model.sharesOf(one, amount).merchant;
  const affordable = paid.filter((one) => costOf(one, model.leftOf(one)) <= held(one));
  const isAll = random.chance(affordable.length > 0 ? 0.5 : 0.2);
  const among = isAll && affordable.length > 0 ? affordable : paid;
  const charge = among.length === 0 ? anyCharge(world) : random.pick(among);
  if (charge === undefined) return;
  const left = charge.price === null ? 0n : model.leftOf(charge);
  const currency = charge.price?.currency ?? "KES";
  const wanted = isAll ? left : random.pick([1n, left / 3n, left]);
  const amount = decimalText(wanted, DECIMALS[currency]!);
  const path = `/charges/${charge.id}/${isAll ? "chargeback" : "partial-refund"}`;
  const answer = await control(world, "POST", path, isAll ? {} : { amount });
  if (charge.status !== "COMPLETED" || charge.settledMs === null || left === 0n)
    return expectRefused(answer, 409, "INVALID_TRANSITION");
  if (!isAll && (wanted === 0n || wanted >= left)) return expectInvalid(answer, "amount");
  if (held(charge) < costOf(charge, wanted)) return expectRefused(answer, 409, "INSUFFICIENT_BALANCE");
  const reversal = expectOk(answer);
  demandSame("charge", `what is taken back of ${charge.id}`, reversal.amount, amount);
  const type = isAll ? "sandbox.charge.charged_back" : "sandbox.charge.partially_refunded";
  model.takeBack(charge, type, reversal);
}

/** Advances one charge without moving the clock. */
export async function runAhead(world: World): Promise<void> {
  const { model, random } = world;
  const charge = anyCharge(world);
  if (charge === undefined) return;
  const until = random.pick(STATUSES);
  const answer = await control(world, "POST", `/charges/${charge.id}/advance`, { until });
  if (!model.leadsTo(charge.id, until)) {
    const choice = waitsForMethod(charge) ? defaultChoice(world, charge) : undefined;
    const pick = (by: Model, one: Charge) => {
      take(one, choice!, answer.json);
      by.moveCharge(one, "AWAITING_PAYMENT", "api");
      by.begin("charges", one);
    };
    const isReachable = choice !== undefined && model.leadsTo(charge.id, until, pick);
    if (!isReachable) return expectRefused(answer, 409, "INVALID_TRANSITION");
    demandSame("charge", `${charge.id}, its method`, expectOk(answer).payment_method, choice.method);
    pick(model, charge);
  }
  model.runAhead(charge, until);
  demandSame("charge", `${charge.id}, run ahead`, expectOk(answer).status, until);
  model.passTo(model.state.nowMs);
}

/** A call that the service refuses, with the invalid fields. */
function badBody(path: string, body: unknown, ...fields: string[]) {
  return async (world: World, actor: Actor) => {
    const answer = await post(world, actor, `/payments/${path}`, body);
    for (const field of fields) expectInvalid(answer, field);
  };
}

const whitelabelOf = (quote: Pick<Quote, "id" | "pricing">, payment_method: string) => ({
  pricing: quote.pricing,
  payment_method,
  quote_id: quote.id,
  customer_email: "a@b.test",
});

/** Pays with a quote of another method or another organization. */
async function misuseQuote(world: World, owner: Actor, payer: Actor, field: string): Promise<void> {
  const quote = await makeQuote(world, owner);
  if (quote === undefined) return;
  const method = quote.method === "card" ? "crypto" : "card";
  await badBody("whitelabel", whitelabelOf(quote, method), field)(world, payer);
}

const BAD_CALLS: readonly ((world: World, actor: Actor) => Promise<void>)[] = [
  badBody("quotes", "{", "body"),
  badBody(
    "quotes",
    { pricing: { base_currency: "usd", amount: "01" }, payment_method: "ussd" },
    "payment_method",
    "pricing.base_currency",
  ),
  badBody(
    "whitelabel",
    whitelabelOf({ id: "qt_none", pricing: { base_currency: "KES", amount: "5.00" } }, "card"),
    "quote_id",
  ),
  (world, actor) => misuseQuote(world, actor, actor, "payment_method"),
  async (world, actor) => {
    const other = actorOf(world);
    if (other !== actor) await misuseQuote(world, actor, other, "quote_id");
  },
  async (world) => {
    const path = "/charges/ch_none/transition";
    expectRefused(await control(world, "POST", path, { to: "COMPLETED" }), 404, "NOT_FOUND");
  },
  async ({ client }, actor) => {
    const path = "/api/v1/payments/payins?limit=101";
    expectInvalid(await client.act("GET", path, undefined, as(actor)), "limit");
  },
  async ({ client }) => {
    const headers = { authorization: "Bearer sk_test_no" };
    const answer = await client.act("GET", "/api/v1/accounts/balances", undefined, headers);
    expectRefused(answer, 401, "UNAUTHORIZED");
  },
  async (world) =>
    expectInvalid(await control(world, "POST", "/clock/advance", { to: "2020-01-01T00:00:00Z" }), "to"),
  async (world) => {
    const charge = anyCharge(world);
    if (charge === undefined) return;
    await badBody("whitelabel", { charge_id: charge.id }, "customer_email")(world, ownerOf(charge));
  },
];

/** Makes a call that must be refused and must change nothing. */
export async function callBadly(world: World): Promise<void> {
  await world.random.pick(BAD_CALLS)(world, actorOf(world));
}
