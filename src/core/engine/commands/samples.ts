import { type Charge, transition } from "../../domain/charge.js";
import { compare, toCanonical } from "../../domain/money.js";
import { payoutCurrencies } from "../../domain/requests/payouts.js";
import { transitionWithdrawal, type Withdrawal } from "../../domain/withdrawal.js";
import type { ChargeStatus, Mode, WithdrawalStatus } from "../../schema/common.js";
import { STATUSES } from "../../schema/statuses.js";
import type { Caller } from "../caller.js";
import type { Transaction } from "../transaction.js";
import { marketTerms, priceCharge } from "./methods.js";
import { newCharge } from "./new-charge.js";
import { newWithdrawal } from "./withdrawals.js";

/** A step in a sample's life: how long after its creation, what it becomes, why. */
type Step<Status> = readonly [afterMs: number, to: Status, reason?: string | undefined];

const MINUTE_MS = 60_000;

/** From its making to that status. */
function chargeLife(to: ChargeStatus, tx: Transaction): readonly Step<ChargeStatus>[] {
  const { sample } = STATUSES[to];
  if (sample === undefined) return [];
  const { from, afterMs = tx.settings.limits.checkout_default_minutes * MINUTE_MS, reason } = sample;
  return [...chargeLife(from, tx), [afterMs, to, reason]];
}

const PROCESSING: Step<WithdrawalStatus> = [1_000, "PROCESSING"];
const WITHDRAWAL_LIVES: Readonly<Record<WithdrawalStatus, readonly Step<WithdrawalStatus>[]>> = {
  PENDING: [],
  PROCESSING: [PROCESSING],
  COMPLETED: [PROCESSING, [3_000, "COMPLETED"]],
  FAILED: [PROCESSING, [3_000, "FAILED", "rejected_by_bank"]],
  CANCELLED: [[1_000, "CANCELLED"]],
};

const SAMPLE_PRICE = { base_currency: "USD", amount: "25.00" };

/** A charge that has just got that status, as the service would have made it. Nothing of it is kept. */
export function sampleCharge(tx: Transaction, status: ChargeStatus, mode: Mode): Charge {
  const life = chargeLife(status, tx);
  const made = apart(tx, life);
  const { catalogue } = tx;
  const caller = sampleCaller(tx, mode);
  const { organization } = caller;
  const method = catalogue.enabledMethods(organization)[0] ?? catalogue.fixtures.methods[0]!;
  const home = catalogue.homeCurrency(organization);
  const code = home !== undefined && method.currencies.includes(home.code) ? home.code : method.currencies[0];
  const currency = catalogue.knownCurrency(code ?? SAMPLE_PRICE.base_currency);
  const charge = newCharge(made, caller, {
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
  const terms = marketTerms(made, charge, {
    method,
    currency,
    rail: catalogue.rails(method.id, currency.code)[0],
    phoneNumber: null,
    bankAccountNumber: null,
  });
  return life.reduce(
    (one, [afterMs, to, reason]) => {
      const moved = transition(one, to, made.atMs + afterMs, "scenario", reason);
      if (typeof moved === "string") throw new Error(`a sample that is ${one.status} cannot become ${to}`);
      return moved.charge;
    },
    priceCharge(made, charge, terms),
  );
}

/** A withdrawal that has just got that status. Nothing of it is kept. */
export function sampleWithdrawal(tx: Transaction, status: WithdrawalStatus, mode: Mode): Withdrawal {
  const life = WITHDRAWAL_LIVES[status];
  const made = apart(tx, life);
  const { catalogue } = tx;
  const caller = sampleCaller(tx, mode);
  const payable = payoutCurrencies(catalogue);
  const home = catalogue.homeCurrency(caller.organization);
  const currency = payable.find((one) => one === home) ?? payable[0] ?? catalogue.knownCurrency("USD");
  const least = currency.minimum_withdrawal ?? "0";
  const withdrawal = newWithdrawal(made, caller, {
    body: {
      destination_id: made.id("destination"),
      amount: toCanonical(compare(least, "100") > 0 ? least : "100", currency.decimals),
      reference: "payout-1042",
      metadata: { payout_id: "1042" },
    },
    currency,
    scenarioAsked: null,
  });
  return life.reduce((one, [afterMs, to, reason]) => {
    const moved = transitionWithdrawal(one, to, made.atMs + afterMs, "scenario", reason);
    if (moved === "illegal") throw new Error(`a sample that is ${one.status} cannot become ${to}`);
    return moved.withdrawal;
  }, withdrawal);
}

/** Of the organization whose keys a namespace has. */
function sampleCaller({ catalogue }: Transaction, mode: Mode): Caller {
  return { key: "sample", mode, organization: catalogue.fixtures.organizations[0]! };
}

/** Where a sample is made: so long ago that its last step is now, and with ids no record gets, new ones each time. */
function apart(tx: Transaction, life: readonly Step<string>[]): Transaction {
  const [lastsMs] = life.at(-1) ?? [0];
  return tx.apart(`sample ${tx.next("sample")}`, tx.atMs - lastsMs);
}
