import { pageQuerySchema } from "../../../schema/requests.js";
import { query } from "../operation-doc.js";

export const ALL_ASSUMED =
  "The interface names this operation without showing it: path, parameters and bodies are assumed.";
export const CREATES = "It is answered 200, as the whitelabel checkout is.";
export const LIMIT_NOTE = "How many to answer at most.";
export const OFFSET_NOTE = "How many to skip.";
export const INVALID = "Invalid request parameters";
export const QUOTE_GONE = {
  code: "VALIDATION_ERROR",
  message: INVALID,
  details: { quote_id: "Quote expired or not found. Please get a new quote." },
};

export const PAGE = query(pageQuerySchema, { limit: LIMIT_NOTE, offset: OFFSET_NOTE });
