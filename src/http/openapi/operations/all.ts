import type { OperationDoc } from "../operation-doc.js";
import { ACCOUNT_DOCS } from "./account.js";
import { CATALOGUE_DOCS } from "./catalogue.js";
import { PAYMENTS_DOCS } from "./payments.js";
import { PAYOUTS_DOCS } from "./payouts.js";
import { WEBHOOKS_DOCS } from "./webhooks.js";

/** Every operation's words, by its id. The examples are one story (see `examples.ts`). */
export const OPERATION_DOCS: Readonly<Record<string, OperationDoc>> = {
  ...CATALOGUE_DOCS,
  ...PAYMENTS_DOCS,
  ...ACCOUNT_DOCS,
  ...PAYOUTS_DOCS,
  ...WEBHOOKS_DOCS,
};
