import * as z from "zod/mini";
import { timestampSchema } from "./common.js";
import { pageOf } from "./control-log-responses.js";
import { field, shape } from "./words.js";

const text = z.string();

export const nextSchema = shape("Next", "Something that can happen next.", {
  kind: field(
    z.enum(["task", "delivery", "transition"]),
    "A scheduled task, a waiting delivery, or a possible next status of a charge or withdrawal.",
  ),
  id: field(text, "The charge, withdrawal or delivery."),
  at: field(z.nullable(timestampSchema), "When it is due; null if no time is set."),
  what: field(
    text,
    "The task (`expire`, `timeline`, `settle`, `withdrawal`), the event, or the current status.",
  ),
  to: field(z.array(text), "The status a task leads to, or the possible next statuses of a transition."),
});
export const nextListSchema = pageOf(
  "NextList",
  "What can happen next",
  nextSchema,
  "scheduled tasks and deliveries first, in time order",
);
