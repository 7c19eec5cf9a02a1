import type { Context } from "hono";
import { CHARGE_STATUSES } from "../../core/schema/common.js";
import { DEFAULT_API_KEY, DEFAULT_WEBHOOK_SECRET } from "../../core/schema/option-schemas.js";
import { CHARGE_STATUS_TABLE, hasEnded } from "../../core/schema/statuses.js";
import { replyHeaders } from "../http/reply.js";
import type { OpenApiDocument } from "./document.js";
import { type DocumentOptions, respondWithDocument } from "./serve.js";

const UNDER_WAY = CHARGE_STATUSES.filter((status) => !hasEnded(status));
const UNPAID = CHARGE_STATUSES.filter((status) => CHARGE_STATUS_TABLE[status].stage === "unpaid");

/** `GET /llms.txt`: everything needed before the first call, on one page for coding agents. */
export function serveGuide(options: DocumentOptions, c: Context): Promise<Response> {
  return respondWithDocument("service", options, c, ({ nowMs, baseUrl, document }) => {
    const headers = { ...replyHeaders(nowMs), "content-type": "text/plain; charset=utf-8" };
    return new Response(guideText(document, baseUrl), { headers });
  });
}

function guideText(document: OpenApiDocument, baseUrl: string): string {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => `- ${method.toUpperCase()} ${path}: ${summary}`),
  );
  return `# payments-sandbox

A local server that stands in for a payments service in test mode.

- Base URL: ${baseUrl}
- Key: \`Authorization: Bearer ${DEFAULT_API_KEY}\` (test mode)
- Webhook secret: \`${DEFAULT_WEBHOOK_SECRET}\` by default
- Full reference: ${baseUrl}/openapi.json, ${baseUrl}/docs; control API: ${baseUrl}/_sandbox/docs

## The flow

1. POST /api/v1/payments/quotes \`{"pricing":{"base_currency":"USD","amount":"25.00"},"payment_method":"card"}\` → \`quote_id\`. Amounts are decimal text, never numbers.
2. POST /api/v1/payments/whitelabel with the same \`pricing\` and \`payment_method\`, \`quote_id\`, \`customer_email\` and your \`metadata\` (such as \`{"order_id":"1042"}\`) → \`charge_id\`, PENDING. Or POST /api/v1/payments/checkouts for a hosted page: send the customer to \`checkout_url\`.
3. The charge goes ${UNDER_WAY.join(" → ")} → COMPLETED, or ${UNPAID.join(", ")}; COMPLETED may become ${CHARGE_STATUS_TABLE.COMPLETED.next.join(" or ")}. Each change after the first sends a webhook \`{"id","type":"charge.completed","timestamp","mode","data":{charge}}\`.
4. Deliver the order when \`charge.completed\` arrives, or when GET /api/v1/payments/charges/{charge_id} says COMPLETED. Never on the customer's return to your page.

## The rules of a receiver

1. Verify the bytes of the body as they came, before anything parses them: headers webhook-id, webhook-timestamp, webhook-signature; \`v1,\` + base64 of HMAC-SHA256 over \`id.timestamp.body\`, the key being the base64 after \`whsec_\`.
2. Return 400 or 401 if the signature is missing, wrong, or more than five minutes old.
3. Store the ids of processed events, in the same transaction as the work: the same \`id\` may arrive again, also in parallel.
4. Compare \`charge_id\`, \`amount\` and \`currency\` with the charge you stored (\`amount\` includes fees), and \`mode\` with your key's.
5. If your work fails, store no id and return 500: the event comes again. Return 2xx within 15 seconds for all else with a valid signature: duplicates, outdated events, unknown types and charges. The charge with the longer \`status_history\` is the newer one.

## Calls

${calls.join("\n")}

Errors: \`{"error":{"code","message","details":{field: fault}}}\`. Retry a 429 after its Retry-After, a POST without response only if a look shows that it was not done.

## Verify your work

- Run the tests beside a sandbox: \`npx payments-sandbox exec -- npm test\` (sets PAYMENTS_BASE_URL, PAYMENTS_API_KEY, PAYMENTS_WEBHOOK_SECRET)
- Test the receiver: \`npx payments-sandbox check-webhook localhost:3000/webhooks\`
- Find bugs: \`sandbox.explore({ see: { order: ({ id }) => orders.get(id) }, flow: ({ id, email, press }) => press("order", () => placeOrder(id, email)) })\` in a test, or \`npx payments-sandbox exec --explore flow.yaml --app localhost:3000 -- node app.mjs\`
- Under failures: \`npx payments-sandbox exec --under mishaps -- npm test\`; a declined charge: header \`Sandbox-Scenario: declined\`
- Do not wait: \`npx payments-sandbox clock advance 10s\`; what happened: \`npx payments-sandbox history last\`, \`npx payments-sandbox advice\`
- For programs: --json on every command; refusals are \`{"error":{code, message, fix, doc}}\`
`;
}
