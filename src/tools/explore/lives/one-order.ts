import { isJsonObject } from "../../../core/schema/json-objects.js";
import type { Client } from "../../scenario/running/client.js";
import { CUSTOMER_DEFAULTS, PAY_DEFAULTS } from "../../scenario/steps/customer.js";
import type { ExploreFlow, ExploreLives } from "../functions/flow.js";

/** The plain flow of lives: one order is placed and paid. What presses nothing is a press by itself. */
export function oneOrder(lives: ExploreLives, client: Client): NonNullable<ExploreFlow["flow"]> {
  const pressing = new Set<string>();
  let isFirst = true;
  return async (context) => {
    const act = (name: keyof ExploreLives): unknown => {
      const press: typeof context.press = (label, work) => {
        pressing.add(name);
        return context.press(label, work);
      };
      const work = () => lives[name]?.({ ...context, press });
      return isFirst || pressing.has(name) || lives[name] === undefined ? work() : context.press(name, work);
    };
    const checkouts = [await act("order"), await act("attempt")].filter(hasCheckout);
    isFirst = false;
    const checkout_id = checkouts.at(-1)?.checkout_id;
    const payment_method = checkout_id && (await offeredMethod(client, checkout_id));
    if (checkout_id !== undefined && payment_method !== undefined)
      await context.pay({ ...CUSTOMER_DEFAULTS[payment_method], checkout_id, payment_method });
    await context.advance("10s");
  };
}

function hasCheckout(made: unknown): made is { readonly checkout_id: string } {
  return isJsonObject(made) && typeof made.checkout_id === "string";
}

/** Returns a payment method that a hosted checkout offers: the default one if it does; undefined for a whitelabel one. */
async function offeredMethod(client: Client, checkout_id: string): Promise<string | undefined> {
  const { items } = (await client.callOrFail("listRequests", { operation: "createCheckout", limit: 10 })) as {
    readonly items: readonly { readonly response_body: unknown }[];
  };
  const made = items.map(({ response_body }) => response_body).find((body) => isOf(body, checkout_id));
  if (made === undefined) return undefined;
  const { payment_methods: offered = [] } = made as { readonly payment_methods?: readonly string[] };
  return offered.includes(PAY_DEFAULTS.method) ? PAY_DEFAULTS.method : (offered[0] ?? PAY_DEFAULTS.method);
}

function isOf(body: unknown, checkout_id: string): boolean {
  return hasCheckout(body) && body.checkout_id === checkout_id;
}
