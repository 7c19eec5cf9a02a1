import { type Charge, computeTransition } from "../../domain/charge-transition.js";
import { compareAmounts, toCanonicalAmount } from "../../domain/money.js";
import { payoutCurrencies } from "../../domain/requests/payout-requests.js";
import { transitionWithdrawal, type Withdrawal } from "../../domain/withdrawal.js";
import type { ChargeStatus, Mode, WithdrawalStatus } from "../../schema/common.js";
import { CHARGE_STATUS_TABLE } from "../../schema/statuses.js";
import type { Caller } from "../caller.js";
import type { Transaction } from "../transaction.js";
import { marketTerms, priceCharge } from "./methods.js";
import { buildCharge } from "./new-charge.js";
import { buildWithdrawal } from "./withdrawal-commands.js";

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
export function buildSampleCharge(tx: Transaction, status: ChargeStatus, mode: Mode): Charge {
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
  const terms = marketTerms(scratch, charge, {
    method,
    currency,
    rail: catalogue.rails(method.id, currency.code)[0],
    phoneNumber: null,
    bankAccountNumber: null,
  });
  return steps.reduce(
    (sample, [afterMs, to, reason]) => {
      const moved = computeTransition(sample, to, scratch.atMs + afterMs, "scenario", reason);
      if (typeof moved === "string") throw new Error(`a sample that is ${sample.status} cannot become ${to}`);
      return moved.charge;
    },
    priceCharge(scratch, charge, terms),
  );
}

/** Makes a sample withdrawal that has just reached the status; stores nothing. */
export function buildSampleWithdrawal(tx: Transaction, status: WithdrawalStatus, mode: Mode): Withdrawal {
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

/** Returns a scratch transaction, whose ids no record gets; starts early enough for the last step to be now. */
function scratchFor(tx: Transaction, steps: readonly Step<string>[]): Transaction {
  const [durationMs] = steps.at(-1) ?? [0];
  return tx.createScratch(`sample ${tx.next("sample")}`, tx.atMs - durationMs);
}
