import * as z from "zod/mini";
import { modeSchema } from "./common.js";
import { deliverySchema, requestEntrySchema } from "./control-log-responses.js";
import { chargeDetailSchema } from "./service-responses.js";

export const WAITABLE_SCHEMAS = {
  charge: z.extend(chargeDetailSchema, { mode: modeSchema }),
  delivery: deliverySchema,
  request: requestEntrySchema,
} as const;
