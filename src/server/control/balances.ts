import type { Holdings } from "../../core/domain/ledger-postings.js";
import { fundBalance } from "../../core/engine/commands/account-commands.js";
import { setRates, usdRateOf } from "../../core/engine/market.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import { ratesByCurrencySchema } from "../../core/schema/control-requests.js";
import { fundRequestSchema } from "../../core/schema/engine-requests.js";
import { issueDetails, safeParse } from "../../core/schema/issues.js";
import { refuseInvalid } from "../../core/schema/refusals.js";
import { unknownFieldMessage } from "../../core/schema/schema-paths.js";
import { pageQuerySchema } from "../../core/schema/service-requests.js";
import { defineControlOperation, pageReply, viewOrRefusal } from "./control-operation.js";

export const BALANCE_OPERATIONS = [
  defineControlOperation({
    id: "listBalances",
    call: "GET /_sandbox/balances",
    query: pageQuerySchema,
    runsDueTasks: true,
    response: "ControlBalanceList",
    docs: {
      summary: "List balances",
      description: "All accounts. Unlike the service's own call, this opens none.",
    },
    handle: ({ namespace, query }) => {
      const newestFirst = [...namespace.engine.state.tables.holdings.values()].sort((a, b) => b.seq - a.seq);
      return pageReply(newestFirst, query, balanceView);
    },
  }),
  defineControlOperation({
    id: "fundBalance",
    call: "POST /_sandbox/balances",
    body: fundRequestSchema,
    response: "ControlBalance",
    docs: {
      summary: "Fund a balance",
      description: "Adds available funds at once, to be paid out or refunded. No event is sent.",
      example: { currency: "GHS", amount: "50.00" },
    },
    handle: ({ namespace, body, mode }) =>
      viewOrRefusal(namespace.execute(fundBalance({ mode, ...body })), balanceView),
  }),
];

function balanceView({ organization_id, mode, currency, balances }: Holdings) {
  return {
    organization_id,
    mode,
    currency,
    available_balance: balances.available,
    pending_balance: balances.pending,
  };
}

export const RATE_OPERATIONS = [
  defineControlOperation({
    id: "getRates",
    call: "GET /_sandbox/rates",
    response: "Rates",
    docs: {
      summary: "Get exchange rates",
      description: "Units of each currency for one US dollar, as of now.",
    },
    handle: ({ namespace }) => ratesOf(namespace),
  }),
  defineControlOperation({
    id: "setRates",
    call: "PUT /_sandbox/rates",
    response: "Rates",
    docs: {
      summary: "Set exchange rates",
      body: "RatesRequest",
      description: "Other rates keep their values; existing quotes keep their rates.",
      example: { rates: { NGN: "1600" } },
    },
    handle: ({ namespace, body }) => {
      const { rates: nested, ...others } = body;
      const isNested = typeof nested === "object" && nested !== null;
      const rates = safeParse(ratesByCurrencySchema, isNested ? nested : body);
      const unknown = isNested ? Object.keys(others) : [];
      const details = Object.fromEntries(unknown.map((name) => [name, unknownFieldMessage(name, ["rates"])]));
      if (!rates.ok) return refuseInvalid({ ...issueDetails(rates.issues), ...details });
      if (unknown.length > 0) return refuseInvalid(details);
      return namespace.execute(setRates(rates.data)) ?? ratesOf(namespace);
    },
  }),
];

function ratesOf({ engine: { catalogue, state } }: Namespace) {
  const rates = catalogue.fixtures.currencies.map((currency) => [currency.code, usdRateOf(state, currency)]);
  return { rates: Object.fromEntries(rates) as Record<string, string> };
}
