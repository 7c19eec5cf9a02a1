import "../../core/schema/service-responses.js";
import { parseEventType, SERVICE_EVENT_TYPES } from "../../core/schema/event-types.js";
import { FIXED_SEED } from "../../core/schema/option-schemas.js";
import { type KeyRequirement, type Operation, SERVICE_TAGS } from "../service/operation.js";
import { OPERATIONS } from "../service/operations.js";
import { ASSUMPTION_KEY, type OpenApiDocument, type OpenApiJson, pathsOf } from "./document.js";
import { type DocumentExamples, NO_EXAMPLES } from "./example-recorder.js";
import { RATE_LIMITED_HEADERS, REQUEST_HEADERS, RESPONSE_HEADERS } from "./headers.js";
import { linksOf } from "./links.js";
import { operationObject } from "./operation-object.js";
import { componentSchemas, reachableSchemas, schemaRef } from "./schemas.js";
import { errorResponses, sharedResponses } from "./service-errors.js";

const KEY_SCHEME = "apiKey";

/** Makes the OpenAPI 3.1 document of the emulated service. Placeholders stand for the values of a namespace. */
export function serviceDocument(examples: DocumentExamples = NO_EXAMPLES): OpenApiDocument {
  const paths = pathsOf(OPERATIONS.map((row) => [row.call, describeServiceCall(row, examples)]));
  const events = webhookItems(examples.events);
  const responses = sharedResponses();
  const tags = { ...SERVICE_TAGS, Events: `${SERVICE_TAGS.Events} {{signature presets}}` };
  return {
    openapi: "3.1.0",
    info: INFO,
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ [KEY_SCHEME]: [] }],
    paths,
    webhooks: events,
    components: {
      schemas: reachableSchemas(componentSchemas(), [paths, events, responses]),
      responses: { ...responses },
      headers: RESPONSE_HEADERS,
      securitySchemes: { [KEY_SCHEME]: SECURITY_SCHEME },
    },
  };
}

function describeServiceCall(row: Operation, examples: DocumentExamples): OpenApiJson {
  const headers = row.headers ?? [];
  const call = examples.calls[row.id] ?? { params: {}, bodies: {}, responses: {} };
  const parts = {
    security: SECURITY[row.key],
    parameters: headers.map((name) => REQUEST_HEADERS[name]),
    needsBody: true,
    responseHeaders: [
      ...RATE_LIMITED_HEADERS,
      ...(headers.includes("Idempotency-Key") ? ["Idempotent-Replayed"] : []),
    ],
    links: linksOf(row, OPERATIONS),
    errors: errorResponses(row, call),
  };
  return operationObject(row, parts, call);
}

/** Overrides the document's security, which requires a key. */
const SECURITY: Readonly<Record<KeyRequirement, OpenApiJson>> = {
  required: {},
  optional: { security: [{}, { [KEY_SCHEME]: [] }] },
  none: { security: [] },
};

const INFO: OpenApiJson = {
  title: "Payments API (sandbox)",
  version: "{{version}}",
  license: { name: "MIT", identifier: "MIT" },
  description: [
    "Payins, checkouts, balances, payouts and webhooks of a payments service in test mode. No real money moves.",
    "Amounts are decimal strings, times are ISO 8601, currency codes are upper case, IDs are opaque. " +
      "Objects in responses may gain fields; ignore those you do not know.",
    "What the interface leaves open and the sandbox decided is marked `x-sandbox-assumption`.",
    "Examples name objects that exist once the operations have been called in the order of this document, with these " +
      `examples, in a sandbox started with \`payments-sandbox start --clock manual --seed ${FIXED_SEED} --scenario instant\`.`,
  ].join("\n\n"),
  [ASSUMPTION_KEY]:
    "Times have milliseconds and Z. Every create returns 200. A path that exists with another method returns " +
    "405 `METHOD_NOT_ALLOWED`. Checks run in this order: path, key, rate, permission, organization, size and JSON, fields.",
};

const SECURITY_SCHEME: OpenApiJson = {
  type: "http",
  scheme: "bearer",
  bearerFormat: "sk_test_… or sk_live_…",
  description:
    "An API key. Its prefix gives the mode: `sk_test_` or `sk_live_`. A key sees the data of its mode only.",
  [ASSUMPTION_KEY]: "A missing key, and a scheme other than Bearer, get the same response as an invalid key.",
};

const ASSUMED =
  "That webhooks are sent is the interface's; names of events, their shape, the signature and the retries are assumed.";

/** The document's `webhooks`: for each event type, the request that registered endpoints receive. */
function webhookItems(examples: Readonly<Record<string, OpenApiJson>>): Record<string, OpenApiJson> {
  return Object.fromEntries(
    SERVICE_EVENT_TYPES.map((type) => [`{{event ${type}}}`, { post: webhook(type, examples[type]) }]),
  );
}

function webhook(type: string, example: OpenApiJson | undefined): OpenApiJson {
  const name = `{{event ${type}}}`;
  const { component, description } = eventComponent(type);
  return {
    operationId: operationId(type),
    tags: ["Events"],
    summary: name,
    description: `${description} Verify the signature over the raw bytes before you trust them; expect the same event more than once.`,
    [ASSUMPTION_KEY]: ASSUMED,
    security: [],
    parameters: "{{signature headers}}",
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            allOf: [
              schemaRef(component),
              { type: "object", properties: { type: { type: "string", enum: [name] } }, required: ["type"] },
            ],
          },
          ...(example === undefined ? {} : { example: { ...example, type: name } }),
        },
      },
    },
    responses: {
      "2XX": {
        description: "Received. Respond quickly: a late response counts as none. The body is ignored.",
      },
      "410": { description: "Not retried: the endpoint is disabled." },
      "4XX": {
        description:
          "Retried later, as after a redirect, a timeout or 5XX. A `Retry-After` with 429 is respected.",
      },
      "5XX": { description: "Retried later. A `Retry-After` with 503 is respected." },
    },
  };
}

function eventComponent(type: string): { readonly component: string; readonly description: string } {
  const change = parseEventType(type);
  if (change === undefined)
    return { component: "TestEvent", description: "Sent on demand, to try a receiver." };
  return change.object === "charge"
    ? { component: "ChargeEvent", description: `A charge is ${change.status}.` }
    : { component: "WithdrawalEvent", description: `A withdrawal is ${change.status}.` };
}

/** `onChargeAwaitingPayment` for `charge.awaiting_payment`. */
function operationId(type: string): string {
  return `on${type.replace(/(^|[._])([a-z])/g, (_all, _mark, letter: string) => letter.toUpperCase())}`;
}
