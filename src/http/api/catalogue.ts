import { paymentMethodView, supportedCurrencies } from "../../engine/queries.js";
import type { Call } from "../operations.js";
import { ok, type Reply } from "../reply.js";

/** With a key, the methods its organization has enabled; without one, all there are. */
export function listPaymentMethods({ world, caller }: Call): Reply {
  const { catalogue } = world.engine;
  const methods =
    caller === undefined ? catalogue.fixtures.methods : catalogue.enabledMethods(caller.organization);
  return ok({ payment_methods: methods.map(paymentMethodView) });
}

export function listSupportedCurrencies({ world }: Call<undefined>): Reply {
  return ok(supportedCurrencies(world.engine.catalogue));
}
