import * as z from "zod/mini";
import { timestampSchema } from "../common.js";
import { assumedField, currencyNote, field, shape } from "../descriptions.js";
import { currencyCodeSchema, moneySchema, text } from "./response-fields.js";

export const balanceSchema = shape("Balance", "What is held in one currency.", {
  currency: field(currencyCodeSchema, currencyNote("Which currency.")),
  available_balance: field(moneySchema, "Ready to be withdrawn.", { examples: ["3225.00"] }),
  pending_balance: field(moneySchema, "Still being confirmed or settled.", { examples: ["0.00"] }),
});
export const balancesSchema = shape("Balances", "All balances of the organization.", {
  success: field(z.literal(true), "Always true."),
  account_id: field(text, "The organization."),
  balances: field(z.array(balanceSchema), "One for each currency; a currency without funds may be missing."),
  total_balance_usd: field(
    moneySchema,
    "Everything, available and pending, in US dollars at today's rates: an estimate.",
    { assumption: "Summed exactly and rounded once.", examples: ["75.00"] },
  ),
});

export const organizationSchema = shape("Organization", "The merchant.", {
  organization_id: assumedField(text, "The organization."),
  name: assumedField(text, "Its name."),
  country: field(text, "Two-letter code; its currency has a balance.", {
    assumption: "The field's name.",
    examples: ["NG"],
  }),
  status: assumedField(z.enum(["active", "deactivated"]), "A deactivated organization gets 404 everywhere."),
  verified: assumedField(z.boolean(), "Verified merchants may use more methods."),
  enabled_payment_methods: field(z.array(text), "Ids of the methods it may use.", {
    examples: ["{{methods}}"],
  }),
  created_at: assumedField(timestampSchema, "When it was made."),
});
