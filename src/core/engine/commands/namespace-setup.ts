import { openingBalancePostings } from "../../domain/ledger-postings.js";
import { isZero, toCanonicalAmount } from "../../domain/money.js";
import type { ChargeFixture } from "../../schema/fixtures-file.js";
import { isRefusal } from "../../schema/refusals.js";
import { postToLedger } from "../ledger-posting.js";
import type { ClockRecord, Endpoint } from "../records.js";
import type { Command, Transaction } from "../transaction.js";
import { buildCharge } from "./charge-commands.js";
import { changeChargeStatus, putCharge } from "./charge-life.js";
import { priceAtMarket } from "./methods.js";

export function initializeNamespace(tx: Transaction): void {
  openBalances(tx);
  for (const fixture of tx.catalogue.fixtures.charges) startingCharge(tx, fixture);
}

/** Creates a charge and moves it to the fixture's status, without a timeline. */
function startingCharge(tx: Transaction, fixture: ChargeFixture): void {
  const { catalogue } = tx;
  const organization = catalogue.organization(fixture.organization_id);
  const method = catalogue.method(fixture.payment_method);
  const currency = catalogue.currency(fixture.currency);
  if (organization === undefined || method === undefined || currency === undefined)
    throw new Error(`starting charge ${fixture.id} names an unknown organization, method or currency`);
  const pricing = {
    base_currency: currency.code,
    amount: toCanonicalAmount(fixture.amount, currency.decimals),
  };
  const { customer_email, customer_name, metadata } = fixture;
  const caller = { key: fixture.id, mode: fixture.mode, organization };
  const charge = buildCharge(tx, caller, {
    kind: "whitelabel",
    body: { customer_email, customer_name, metadata },
    pricing,
    offeredMethods: [method.id],
    scenarioAsked: null,
  });
  const priced = priceAtMarket(tx, charge, {
    method,
    currency,
    phoneNumber: fixture.phone_number ?? null,
    bankAccountNumber: fixture.bank_account_number ?? null,
  });
  const open = putCharge(tx, priced);
  if (fixture.status === "PENDING") return;
  const moved = changeChargeStatus(tx, open, fixture.status, "control");
  if (isRefusal(moved)) throw new Error(`starting charge ${fixture.id}: ${moved.message}`);
}

function openBalances(tx: Transaction): void {
  for (const balance of tx.catalogue.fixtures.balances) {
    const currency = tx.catalogue.requireCurrency(balance.currency);
    const amount = toCanonicalAmount(balance.available_balance, currency.decimals);
    if (isZero(amount)) continue;
    const refusal = postToLedger(tx, "opening", balance, balance.id, openingBalancePostings(amount));
    if (isRefusal(refusal)) throw new Error(`opening balance ${balance.id}: ${refusal.message}`);
  }
}

/** Copies an endpoint into a reset namespace, with its id and secrets. */
export function copyEndpoint(endpoint: Endpoint): Command<void> {
  return (tx) => {
    tx.next("webhook");
    tx.put("endpoints", endpoint.webhook_id, { ...endpoint, seq: tx.next("webhook_seq") });
  };
}

/** Stores the clock, after it was set or advanced. */
export function putClock(clock: ClockRecord): Command<void> {
  return (tx) => tx.put("clock", "clock", clock);
}
