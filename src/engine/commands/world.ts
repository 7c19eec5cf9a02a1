import { openingPostings } from "../../domain/ledger.js";
import { isZero, toCanonical } from "../../domain/money.js";
import { isRefusal } from "../../schema/errors.js";
import { post } from "../ledger.js";
import type { ClockRecord, Endpoint } from "../records.js";
import type { Command, Transaction } from "../transaction.js";

/** What a new world has from the fixtures: the balances organizations start with. */
export function initialWorld(tx: Transaction): void {
  for (const balance of tx.catalogue.fixtures.balances) {
    const currency = tx.catalogue.knownCurrency(balance.currency);
    const amount = toCanonical(balance.available_balance, currency.decimals);
    if (isZero(amount)) continue;
    const refusal = post(tx, {
      kind: "opening",
      mode: balance.mode,
      organizationId: balance.organization_id,
      currency: currency.code,
      objectId: balance.id,
      postings: openingPostings(amount),
    });
    if (isRefusal(refusal)) throw new Error(`opening balance ${balance.id}: ${refusal.message}`);
  }
}

/** Brings an endpoint of the old world into the new one as it is, ids and secrets included. */
export function carryEndpoint(endpoint: Endpoint): Command<void> {
  return (tx) => {
    tx.next("webhook");
    tx.put("endpoints", endpoint.webhook_id, { ...endpoint, seq: tx.next("webhook_seq") });
  };
}

/** The clock was set, or has come to rest after an advance. */
export function keepClock(clock: ClockRecord): Command<void> {
  return (tx) => tx.put("clock", "clock", clock);
}
