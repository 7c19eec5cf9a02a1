import * as z from "zod/mini";
import { timestampSchema } from "./common.js";
import { controlChargeSchema } from "./control-responses.js";
import { field, pickFields, recordShape } from "./descriptions.js";
import { currencyFixtureSchema, methodFixtureSchema } from "./fixtures-file.js";
import { chargeRecordSchema } from "./records/payment-records.js";
import { text } from "./records/record-fields.js";
import { chargeDetailSchema, moneySchema, quoteSchema } from "./service-responses.js";

/* The hosted checkout, as the control API shows it. */

const { amount, currency, exchange_rate, settlement_amount, fees } = quoteSchema.shape;

const offerSchema = recordShape("Offer", "The price of a checkout by a method, in a currency.", {
  payment_method: text,
  currency,
  amount,
  fees,
  exchange_rate,
  settlement_amount,
});
export type Offer = z.infer<typeof offerSchema>;

const returnSchema = recordShape("MoneyReturned", "Money that went back to the customer.", {
  kind: z.enum(["partial_refund", "refund", "chargeback"]),
  at: timestampSchema,
  amount: moneySchema,
});

const shownMethodSchema = recordShape("ShownMethod", "A payment method, for people.", {
  ...pickFields(methodFixtureSchema.shape, "id", "kind", "display_name", "description"),
});
const shownCurrencySchema = recordShape("ShownCurrency", "A currency, for people.", {
  ...pickFields(currencyFixtureSchema.shape, "code", "name", "asset", "network"),
});
export type ShownMethod = z.infer<typeof shownMethodSchema>;
export type ShownCurrency = z.infer<typeof shownCurrencySchema>;

export const controlCheckoutSchema = recordShape("ControlCheckout", "A checkout, as its page shows it.", {
  checkout_id: chargeDetailSchema.shape.checkout_id,
  charge: controlChargeSchema,
  merchant: field(text, "The name of the organization."),
  ...pickFields(
    chargeRecordSchema.shape,
    "pricing",
    "offered_methods",
    "phone_number",
    "bank_account_number",
    "success_url",
    "cancel_url",
  ),
  offers: field(z.array(offerSchema), "The prices to choose from; empty once a method is chosen."),
  settable: field(z.array(text), "The statuses that a person may set."),
  returns: field(z.array(returnSchema), "Oldest first."),
  methods: field(z.array(shownMethodSchema), "Those of the checkout."),
  currencies: field(z.array(shownCurrencySchema), "Those of its prices."),
});
export type ControlCheckout = z.infer<typeof controlCheckoutSchema>;
