import * as r from "../../../schema/responses.js";
import { type Component, object } from "../component.js";
import type { Facts } from "../facts.js";
import { currency } from "../phrases.js";
import { unshown } from "../types.js";

/** The organization and its balances. */
export function accountComponents(facts: Facts): Component[] {
  return [
    object("Balance", r.balanceSchema, "What is held in one currency.", {
      currency: currency(facts, "Which currency."),
      available_balance: { says: "Ready to be withdrawn.", examples: ["3225.00"] },
      pending_balance: { says: "Still being confirmed or settled.", examples: ["0.00"] },
    }),
    object("Balances", r.balancesSchema, "All balances of the organization.", {
      success: "Always true.",
      account_id: "The organization.",
      balances: "One for each currency; a currency without funds may be missing.",
      total_balance_usd: {
        says: "Everything, available and pending, in US dollars at today's rates: an estimate.",
        assumed: "Summed exactly and rounded once.",
        examples: ["75.00"],
      },
    }),
    object("Organization", r.organizationSchema, "The merchant.", {
      organization_id: unshown("The organization."),
      name: unshown("Its name."),
      country: {
        says: "Two-letter code; its currency has a balance.",
        assumed: "The field's name.",
        examples: ["NG"],
      },
      status: unshown("A deactivated organization is answered 404 everywhere."),
      verified: unshown("Verified merchants may use more methods."),
      enabled_payment_methods: { says: "Ids of the methods it may use.", examples: [facts.methods] },
      created_at: unshown("When it was made."),
    }),
  ];
}
