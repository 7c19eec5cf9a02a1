/**
 * What the service answers. Nothing is parsed with these while it runs: the OpenAPI document is made of them, and
 * the test suite holds every answer against that document. Objects are open, for a service may add fields.
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
