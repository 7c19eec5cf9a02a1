import type { FieldNote } from "./descriptions.js";

/** The format of a currency code; the fixtures define which exist. */
const CODE_PATTERN = "^[A-Z][A-Z0-9]*(_[A-Z0-9]+)?$";

export function currencyNote(text: string, details: Partial<FieldNote> = {}): FieldNote {
  return {
    description: `${text} Upper case; this server knows {{currencies in words}}.`,
    examples: "{{some currencies}}",
    jsonSchema: { pattern: CODE_PATTERN },
    ...details,
  };
}

export function methodNote(text: string, assumed?: string): FieldNote {
  return {
    description: `${text} This server knows {{methods in words}}; more may be added.`,
    examples: "{{methods}}",
    ...(assumed === undefined ? {} : { assumption: assumed }),
  };
}

export const METHOD_ASSUMPTION =
  "A method the key's organization has not enabled is rejected like an unknown one: 400 `details.payment_method`.";

export const METADATA_DESCRIPTION =
  "Your own data, stored with the object and returned in reads and webhooks. It must not hold sensitive data.";

export const METADATA_NOTE: FieldNote = {
  description: `${METADATA_DESCRIPTION} The key \`sandbox_scenario\` picks the scenario that decides what happens.`,
  assumption: "A feature of the sandbox only: the service gives no metadata key a meaning.",
};

/** Has no `default` keyword: type generators treat a field with one as required. */
export const CHECKOUT_LIFE_NOTE: FieldNote = {
  description: "Minutes until the checkout expires: {{checkout minutes}} by default.",
  examples: ["{{checkout minutes}}"],
};

export function redirectNote(when: string): FieldNote {
  return {
    description: `Where the customer is sent ${when}.`,
    assumption:
      "Must be an absolute http or https URL; `checkout_id`, `charge_id` and `status` are added to its query.",
    examples: ["https://shop.test/orders/1042"],
  };
}

export const RATE_NOTE: FieldNote = {
  description: "Units of the payment currency per unit of the base currency.",
  assumption: "Carried to 12 significant digits, and that string is the multiplier; `1` within one currency.",
  examples: ["129"],
};

export const FEES_NOTE: FieldNote = {
  description: "The fees deducted from the amount.",
  assumption: "Percentages of the settlement amount by method, each part rounded half-up by itself.",
};
