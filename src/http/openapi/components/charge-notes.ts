import { type FieldNote, type Note, unshown } from "../types.js";

/** Notes on what quotes, checkouts and charges have in common. */

export const RATE_NOTE: Note = {
  says: "Units of the currency paid in for one of the base currency.",
  assumed: "Carried to 12 significant digits, and that string is the multiplier; `1` within one currency.",
  examples: ["129"],
};

export const SETTLEMENT_NOTE: Note = {
  says: "What the merchant receives: the amount less all fees, in the same currency. Account by this one.",
  assumed: "The base amount times the rate, rounded half-up to the currency's decimals.",
  examples: ["3225.00"],
};

export const FEES_NOTE: FieldNote = {
  says: "What is taken out of the amount, part by part.",
  assumed: "Percentages of the settlement amount by method, each part rounded half-up by itself.",
};

export const PROVIDER_NOTE: Note = "Always null: the interface hides who processes the payment.";

export const REFERENCE_NOTE: Note = {
  says: "Reference the customer must quote when paying.",
  examples: ["PSBH8FHMUK5GL"],
};

export const RAIL_ID_NOTE: Note = unshown("The bank network or operator, if there is one.", {
  examples: ["simba_pesa"],
});
