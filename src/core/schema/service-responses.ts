/**
 * Schemas of the service's response bodies. The OpenAPI document is generated from these schemas, and tests check every
 * response against the document. Stored records reuse the fields. No response is parsed at run time. Objects are open:
 * a service may add fields.
 */

export * from "./responses/catalogue-responses.js";
export * from "./responses/charge-responses.js";
export * from "./responses/payout-responses.js";
export * from "./responses/response-fields.js";
export * from "./responses/webhook-responses.js";
