import { payoutCurrencies } from "../../domain/requests.js";
import type { Caller } from "../../engine/caller.js";
import { currencyCodes, paymentMethodView, railView } from "../../engine/queries.js";
import { INVALID_QUERY_MESSAGE, invalid, isRefusal, type Refusal } from "../../schema/errors.js";
import { railQuerySchema } from "../../schema/requests.js";
import type { Call } from "../operations.js";
import { readQuery } from "../query.js";
import { ok, type Reply } from "../reply.js";

/** With a key, the methods its organization has enabled; without one, all there are. */
export function listPaymentMethods({ namespace, caller }: Call): Reply {
  const { catalogue } = namespace.engine;
  const methods =
    caller === undefined ? catalogue.fixtures.methods : catalogue.enabledMethods(caller.organization);
  return ok({ payment_methods: methods.map(paymentMethodView) });
}

export function listSupportedCurrencies({ namespace }: Call<undefined>): Reply {
  return ok(currencyCodes(namespace.engine.catalogue.fixtures.currencies));
}

/** The rails of a method and currency; a filter that matches none gives none. */
export function listPaymentRails({ namespace, caller, url }: Call<Caller>): Reply | Refusal {
  const read = readQuery(railQuerySchema, url);
  if (isRefusal(read)) return read;
  const { payment_method, currency } = read.query;
  const { catalogue } = namespace.engine;
  const enabled = catalogue.enabledMethods(caller.organization).map((method) => method.id);
  const details: Record<string, string> = {};
  if (payment_method !== undefined && !enabled.includes(payment_method))
    details.payment_method = `must be one of ${enabled.join(", ")}`;
  if (currency !== undefined && catalogue.currency(currency) === undefined)
    details.currency = `must be one of ${catalogue.fixtures.currencies.map((one) => one.code).join(", ")}`;
  if (Object.keys(details).length > 0) return invalid(details, INVALID_QUERY_MESSAGE);
  const rails = catalogue.fixtures.rails.filter(
    (rail) =>
      enabled.includes(rail.payment_method) &&
      (payment_method === undefined || rail.payment_method === payment_method) &&
      (currency === undefined || rail.currency === currency),
  );
  return ok({ payment_rails: rails.map((rail) => railView(catalogue, rail)) });
}

export function listPayoutCurrencies({ namespace }: Call<Caller>): Reply {
  return ok(currencyCodes(payoutCurrencies(namespace.engine.catalogue)));
}
