/**
 * Response bodies of the service. The OpenAPI document is generated from them, and tests check every response against
 * it; stored records reuse their fields. Never parsed at run time. Objects are open: a service may add fields.
 */

export * from "./responses/account.js";
export * from "./responses/catalogue.js";
export * from "./responses/charges.js";
export * from "./responses/errors.js";
export * from "./responses/instructions.js";
export * from "./responses/parts.js";
export * from "./responses/payouts.js";
export * from "./responses/quotes.js";
export * from "./responses/webhooks.js";
