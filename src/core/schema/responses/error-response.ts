import * as z from "zod/mini";
import { field, shape } from "../descriptions.js";
import { text } from "./response-fields.js";

/** `code` is any text, since the config may rename codes. */
export const errorInfoSchema = shape("ErrorInfo", "What went wrong.", {
  code: field(text, "For programs.", { examples: ["VALIDATION_ERROR"] }),
  message: field(text, "For people.", { examples: ["Invalid request parameters"] }),
  details: field(z.optional(z.record(z.string(), z.string())), "What is wrong with each invalid field.", {
    assumption: "A field within an object has a dotted path; all faults come together.",
    examples: [{ "pricing.amount": "must be more than 0" }],
  }),
});
export const errorResponseSchema = shape("Error", "The body of every error.", {
  error: field(errorInfoSchema, "What went wrong."),
});
