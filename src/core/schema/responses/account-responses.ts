import * as z from "zod/mini";
import { timestampSchema } from "../common.js";
import { assumedFieldNote, currencyNote, field, shape } from "../descriptions.js";
import { currencyCodeSchema, moneySchema, text } from "./response-fields.js";

export const balanceSchema = shape("Balance", "What is held in one currency.", {
  currency: field(currencyCodeSchema, currencyNote("Which currency.")),
  available_balance: field(moneySchema, { description: "Ready to be withdrawn.", examples: ["3225.00"] }),
  pending_balance: field(moneySchema, {
    description: "Still being confirmed or settled.",
    examples: ["0.00"],
  }),
});
export const balancesSchema = shape("Balances", "All balances of the organization.", {
  success: field(z.literal(true), "Always true."),
  account_id: field(text, "The organization."),
  balances: field(z.array(balanceSchema), "One for each currency; a currency without funds may be missing."),
  total_balance_usd: field(moneySchema, {
    description: "Everything, available and pending, in US dollars at today's rates: an estimate.",
    assumption: "Summed exactly and rounded once.",
    examples: ["75.00"],
  }),
});

export const organizationSchema = shape("Organization", "The merchant.", {
  organization_id: field(text, assumedFieldNote("The organization.")),
  name: field(text, assumedFieldNote("Its name.")),
  country: field(text, {
    description: "Two-letter code; its currency has a balance.",
    assumption: "The field's name.",
    examples: ["NG"],
  }),
  status: field(
    z.enum(["active", "deactivated"]),
    assumedFieldNote("A deactivated organization gets 404 everywhere."),
  ),
  verified: field(z.boolean(), assumedFieldNote("Verified merchants may use more methods.")),
  enabled_payment_methods: field(z.array(text), {
    description: "Ids of the methods it may use.",
    examples: ["{{methods}}"],
  }),
  created_at: field(timestampSchema, assumedFieldNote("When it was made.")),
});
