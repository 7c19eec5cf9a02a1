import * as r from "../../../schema/responses.js";
import { type Component, object } from "../component.js";

/** The body of every error. */
export function errorComponents(): Component[] {
  return [
    object("ErrorInfo", r.errorInfoSchema, "What went wrong.", {
      code: { says: "For programs.", examples: ["VALIDATION_ERROR"] },
      message: { says: "For people.", examples: ["Invalid request parameters"] },
      details: {
        says: "For each field at fault, what is wrong with it.",
        assumed: "A field within an object has a dotted path; all faults come together.",
        examples: [{ "pricing.amount": "must be more than 0" }],
      },
    }),
    object("Error", r.errorSchema, "The body of every error.", { error: "What went wrong." }),
  ];
}
