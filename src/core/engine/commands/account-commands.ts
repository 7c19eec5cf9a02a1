import { type Holdings, openingBalancePostings } from "../../domain/ledger-postings.js";
import { add, totalInUsd } from "../../domain/money.js";
import { BodyCheck, checkAmount, oneOfMessage } from "../../domain/requests/body-check.js";
import type { Mode } from "../../schema/common.js";
import { type FundRequest, fundRequestSchema } from "../../schema/engine-requests.js";
import type { Refusal } from "../../schema/refusals.js";
import { findOrOpenHoldings, postToLedger } from "../ledger-posting.js";
import { usdRateOf } from "../market.js";
import type { Caller, Command } from "../transaction.js";

const USD = "USD";

/** Reads balances (specification: GET balances). A command, because the first read opens accounts. */
export function readBalances(caller: Caller) {
  const { mode, organization } = caller;
  const command: Command<ReturnType<typeof balancesView>> = (tx) => {
    const { catalogue, state } = tx;
    const opened = state.holdingsOf(mode, organization.organization_id).map(({ currency }) => currency);
    const home = catalogue.homeCurrency(organization)?.code ?? USD;
    const currencies = [...new Set([USD, ...opened, home])].flatMap((code) => catalogue.currency(code) ?? []);
    const holdings = currencies.map((currency) => ({
      account: findOrOpenHoldings(tx, mode, organization.organization_id, currency.code),
      rate: usdRateOf(state, currency),
    }));
    return balancesView(organization.organization_id, holdings, catalogue.currency(USD)?.decimals ?? 2);
  };
  return command;
}

/** Adds funds to an available balance of the first organization of the fixtures. */
export function fundBalance(request: FundRequest & { readonly mode: Mode }): Command<Holdings | Refusal> {
  return (tx) => {
    const { fixtures } = tx.catalogue;
    const body = new BodyCheck<FundRequest>(fundRequestSchema, request);
    const currency = tx.catalogue.currency(request.currency);
    if (currency === undefined)
      body.reportFault(
        "currency",
        oneOfMessage(
          request.currency,
          fixtures.currencies.map(({ code }) => code),
        ),
      );
    const amount = currency && checkAmount(body, "amount", request.amount, currency);
    if (body.refusal !== undefined) return body.refusal;
    const owner = {
      mode: request.mode,
      organization_id: fixtures.organizations[0]!.organization_id,
      currency: currency!.code,
    };
    const refusal = postToLedger(tx, "funding", owner, "funding", openingBalancePostings(amount!));
    return refusal ?? findOrOpenHoldings(tx, owner.mode, owner.organization_id, owner.currency);
  };
}

function balancesView(
  organizationId: string,
  holdings: readonly { account: ReturnType<typeof findOrOpenHoldings>; rate: string }[],
  decimals: number,
) {
  return {
    success: true as const,
    account_id: organizationId,
    balances: holdings.map(({ account }) => ({
      currency: account.currency,
      available_balance: account.balances.available,
      pending_balance: account.balances.pending,
    })),
    total_balance_usd: totalInUsd(
      holdings.map(({ account, rate }) => ({
        amount: add(account.balances.available, account.balances.pending),
        rate,
      })),
      decimals,
    ),
  };
}
