import * as z from "zod/mini";
import { timestampSchema } from "./common.js";
import { pageOf } from "./control-log-responses.js";
import { field, shape } from "./words.js";

const text = z.string();

export const nextSchema = shape("Next", "Something that may happen now.", {
  kind: field(
    z.enum(["task", "delivery", "transition"]),
    "Something planned, a delivery that waits, or what a charge or withdrawal may become.",
  ),
  id: field(text, "The charge, withdrawal or delivery."),
  at: field(z.nullable(timestampSchema), "When it is due; null where no time is set."),
  what: field(
    text,
    "What is planned (`expire`, `timeline`, `settle`, `withdrawal`), the event, or the status now.",
  ),
  to: field(z.array(text), "What it may become; of a transition only."),
});
export const nextListSchema = pageOf("NextList", "Things", nextSchema, "what is planned first, in its order");
