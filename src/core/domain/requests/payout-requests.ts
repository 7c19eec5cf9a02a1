import type { CurrencyFixture, OrganizationFixture } from "../../schema/fixtures-file.js";
import type { ErrorDetails, Refusal } from "../../schema/refusals.js";
import {
  DESTINATION_FIELDS,
  type DestinationBody,
  destinationFieldsSchema,
  type WithdrawalBody,
  withdrawalRequestSchema,
} from "../../schema/service-requests.js";
import type { Catalogue } from "../catalogue.js";
import { compareAmounts, toCanonicalAmount } from "../money.js";
import { BodyCheck, checkAmount, checkPhone, oneOfMessage } from "./body-check.js";

/** A currency allows withdrawals if it has a minimum withdrawal. */
export function payoutCurrencies(catalogue: Catalogue): CurrencyFixture[] {
  return catalogue.fixtures.currencies.filter((currency) => currency.minimum_withdrawal !== undefined);
}

function checkPayoutCurrency<Body extends { currency: string }>(
  body: BodyCheck<Body>,
  catalogue: Catalogue,
): CurrencyFixture | undefined {
  const code = body.validField("currency");
  if (typeof code !== "string") return undefined;
  const payable = payoutCurrencies(catalogue);
  const currency = payable.find((currency) => currency.code === code);
  if (currency === undefined)
    body.reportFault(
      "currency",
      oneOfMessage(
        code,
        payable.map((currency) => currency.code),
      ),
    );
  return currency;
}

/** Returns the network of the currency's wallets; reports another one as a fault. */
function networkOf(body: BodyCheck<DestinationBody>, currency: CurrencyFixture | undefined): string | null {
  if (currency === undefined) return null;
  const network = currency.network ?? currency.code;
  if ((body.validField("network") ?? network) !== network)
    body.reportFault("network", `must be ${network} for ${currency.code}`);
  return network;
}

/** Checks a payout destination; returns only the fields of its type. */
export function readDestinationRequest(
  catalogue: Catalogue,
  organization: OrganizationFixture,
  raw: unknown,
  faults: ErrorDetails,
): (Record<string, string | null> & { type: string; currency: string }) | Refusal {
  const body = new BodyCheck<DestinationBody>(destinationFieldsSchema, raw, faults);
  const currency = checkPayoutCurrency(body, catalogue);
  const phoneNumber = checkPhone(body, catalogue);
  const type = body.validField("type");
  const fields: Record<string, string | null> = {};
  if (type !== undefined) {
    if (currency !== undefined && (type === "crypto_wallet") !== (currency.type === "crypto"))
      body.reportFault("type", `does not suit ${currency.code}, which is a ${currency.type} currency`);
    for (const name of DESTINATION_FIELDS[type]) {
      if (name === "network") fields.network = networkOf(body, currency);
      else if (((raw as DestinationBody)[name] ?? null) === null)
        body.reportFault(name, `is required for ${type}`);
      else fields[name] = name === "phone_number" ? phoneNumber : (body.validField(name) ?? null);
    }
  }
  const { refusal } = body;
  if (refusal !== undefined) return refusal;
  const country = body.validField("country") ?? (type === "crypto_wallet" ? null : organization.country);
  return { type: type!, currency: currency!.code, country, ...fields };
}

/** Returns canonical form or all faults. `currencyOf` returns undefined for an id that is not the caller's. */
export function readWithdrawalRequest(
  catalogue: Catalogue,
  raw: unknown,
  currencyOf: (destinationId: string) => string | undefined,
  faults: ErrorDetails,
) {
  const body = new BodyCheck<WithdrawalBody>(withdrawalRequestSchema, raw, faults);
  const currency = checkPayoutCurrency(body, catalogue);
  const amount = currency && checkAmount(body, "amount", body.validField("amount"), currency);
  const minimum = currency?.minimum_withdrawal;
  if (amount !== undefined && minimum !== undefined && compareAmounts(amount, minimum) < 0)
    body.reportFault(
      "amount",
      `must be at least ${toCanonicalAmount(minimum, currency!.decimals)} ${currency!.code}`,
    );
  const destinationId = body.validField("destination_id");
  if (destinationId !== undefined) {
    const code = currencyOf(destinationId);
    if (code === undefined) body.reportFault("destination_id", "is not the id of a payout destination");
    else if (currency !== undefined && code !== currency.code)
      body.reportFault("currency", `does not match the destination, which is in ${code}`);
  }
  return body.refusal ?? { currency: currency!, amount: amount!, body: raw as WithdrawalBody };
}
