import { UserError } from "../../core/schema/user-error.js";
import { parseAssignments } from "./assignments.js";
import type { ClientCall } from "./client-command.js";
import type { Json } from "./connection.js";

interface Method {
  readonly id: string;
  readonly currencies: readonly string[];
}

/** Customer fields that satisfy every payment method. */
const CUSTOMER = { phone_number: "+254700000001", bank_account_number: "0123456789" };

/** `charge create`: makes a charge as an app does, by a quote and a whitelabel checkout, or by a hosted one. */
export async function createCharge({ connection, flags }: ClientCall): Promise<Json> {
  const { amount = "25.00", email = "ada@shop.test", scenario, hosted } = flags;
  const headers: Record<string, string> =
    scenario === undefined ? {} : { "sandbox-scenario": String(scenario) };
  const service = await connection.createServiceCaller(headers);
  const { payment_methods } = await service<{ payment_methods: Method[] }>("GET", "/payment-methods");
  const method = payment_methods.find(({ id }) => flags.method === undefined || id === flags.method);
  if (method === undefined)
    throw new UserError(`--method must be one of ${payment_methods.map(({ id }) => id).join(", ")}`);
  const currency = flags.currency ?? method.currencies[0];
  const body = {
    pricing: { base_currency: currency, amount },
    customer_email: email,
    ...parseAssignments(flags.set),
  };
  if (hosted === true) {
    const { charge_id, checkout_url } = await service<Json>("POST", "/checkouts", body);
    return { ...(await connection.resolveCharge(String(charge_id))), checkout_url };
  }
  const { pricing } = body;
  const quote = await service<Json>("POST", "/quotes", { pricing, payment_method: method.id });
  const made = await service<Json>("POST", "/whitelabel", {
    ...CUSTOMER,
    ...body,
    payment_method: method.id,
    quote_id: quote.quote_id,
  });
  return connection.resolveCharge(String(made.charge_id));
}
