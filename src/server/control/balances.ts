import type { Holdings } from "../../core/domain/ledger-postings.js";
import { fundBalance } from "../../core/engine/commands/account-commands.js";
import { setRates, usdRateOf } from "../../core/engine/market.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { nestedRatesSchema, ratesBodySchema } from "../../core/schema/control-bodies.js";
import { ledgerQuerySchema } from "../../core/schema/control-log-requests.js";
import { fundRequestSchema } from "../../core/schema/engine-requests.js";
import { issueDetails, safeParse } from "../../core/schema/issues.js";
import { isJsonObject } from "../../core/schema/json-objects.js";
import { refuseInvalid } from "../../core/schema/refusals.js";
import { pageQuerySchema } from "../../core/schema/service-requests.js";
import { limitAndOffset } from "../http/operation-row.js";
import { viewOrRefusal } from "../http/reply.js";
import { defineControlOperation, pageReply } from "./control-operation.js";

export const BALANCE_OPERATIONS = [
  defineControlOperation({
    id: "listBalances",
    call: "GET /_sandbox/balances",
    summary: "List balances",
    description: "All accounts. Unlike the service's own call, this opens none.",
    input: pageQuerySchema,
    runsDueTasks: true,
    output: "ControlBalanceList",
    run: ({ namespace, input }) => {
      const newestFirst = [...namespace.engine.state.tables.holdings.values()].sort((a, b) => b.seq - a.seq);
      return pageReply(newestFirst, input, balanceView);
    },
  }),
  defineControlOperation({
    id: "listLedger",
    call: "GET /_sandbox/ledger",
    summary: "List ledger entries",
    description: "The ledger as a bank statement, newest first. The postings of an entry sum to zero.",
    input: ledgerQuerySchema,
    runsDueTasks: true,
    output: "LedgerEntryList",
    run: ({ namespace, input }) => {
      const { mode, account } = input;
      const { limit, offset } = limitAndOffset(input);
      const { total, items } = namespace.engine.state.statement({ mode, account }, offset, limit);
      return {
        total,
        items: items.map(({ entry: { seq: _, ...entry }, before, after }) => ({
          ...entry,
          postings: [...entry.postings],
          before: before.available ?? "0",
          after: after.available ?? "0",
        })),
      };
    },
  }),
  defineControlOperation({
    id: "fundBalance",
    call: "POST /_sandbox/balances",
    summary: "Fund a balance",
    description: "Adds available funds at once, to be paid out or refunded. No event is sent.",
    input: fundRequestSchema,
    output: "ControlBalance",
    example: { currency: "KES", amount: "1105.10" },
    run: ({ namespace, input, mode }) =>
      viewOrRefusal(namespace.execute(fundBalance({ mode, ...input })), balanceView),
  }),
];

function balanceView({ key: account, organization_id, mode, currency, balances }: Holdings) {
  return {
    organization_id,
    mode,
    currency,
    available_balance: balances.available,
    pending_balance: balances.pending,
    in_transit_balance: balances.in_transit,
    fees_paid: balances.fees,
    account,
  };
}

export const RATE_OPERATIONS = [
  defineControlOperation({
    id: "getRates",
    call: "GET /_sandbox/rates",
    summary: "Get exchange rates",
    description: "Units of each currency for one US dollar, as of now.",
    output: "Rates",
    run: ({ namespace }) => ratesOf(namespace),
  }),
  defineControlOperation({
    id: "setRates",
    call: "PUT /_sandbox/rates",
    summary: "Set exchange rates",
    description: "Other rates keep their values; existing quotes keep their rates.",
    rawInput: ratesBodySchema,
    output: "Rates",
    example: { rates: { NGN: "1600" } },
    run: ({ namespace, input }) => {
      const isNested = isJsonObject(input.rates);
      const body = safeParse(nestedRatesSchema, isNested ? input : { rates: input });
      const refusal = body.ok
        ? namespace.execute(setRates(body.data.rates))
        : refuseInvalid(issueDetails(body.issues));
      if (isNested || refusal?.details === undefined) return refusal ?? ratesOf(namespace);
      const details = Object.entries(refusal.details).map(([field, fault]) => [
        field.slice("rates.".length),
        fault,
      ]);
      return { ...refusal, details: Object.fromEntries(details) };
    },
  }),
];

function ratesOf({ engine: { catalogue, state } }: Namespace) {
  const rates = catalogue.fixtures.currencies.map((currency) => [currency.code, usdRateOf(state, currency)]);
  return { rates: Object.fromEntries(rates) as Record<string, string> };
}
