import "../../core/schema/responses.js";
import { type KeyNeed, type Operation, TAGS } from "../service/operation.js";
import { OPERATIONS } from "../service/operations.js";
import { braced, describedCall } from "./described.js";
import { ASSUMPTION, type Json, type OpenApiDocument, pathsOf } from "./document.js";
import { errorResponses, sharedResponses } from "./errors.js";
import { webhooks } from "./events.js";
import { ANSWER_HEADERS, KEYED, REQUEST_HEADERS } from "./headers.js";
import { componentSchemas, reachable } from "./schemas.js";
import { NOTHING_PLAYED, type Played, playedOf } from "./story.js";

const KEY_SCHEME = "apiKey";

/**
 * OpenAPI 3.1 for the emulated service, from its rows and the words on their schemas; with marks for what a namespace
 * may have otherwise (`facts.ts`). What the interface leaves open is marked `x-sandbox-assumption`.
 */
export function serviceDocument(played: Played = NOTHING_PLAYED): OpenApiDocument {
  const paths = pathsOf(
    OPERATIONS.map((row) => ({
      path: braced(row.path),
      method: row.method,
      described: describe(row, played),
    })),
  );
  const events = webhooks(played.events);
  const responses = sharedResponses();
  const tags = { ...TAGS, Events: `${TAGS.Events} {{signature presets}}` };
  return {
    openapi: "3.1.0",
    info: INFO,
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ [KEY_SCHEME]: [] }],
    paths,
    webhooks: events,
    components: {
      schemas: reachable(componentSchemas(), [paths, events, responses]),
      responses: { ...responses },
      headers: ANSWER_HEADERS,
      securitySchemes: { [KEY_SCHEME]: SECURITY_SCHEME },
    },
  };
}

function describe(row: Operation, played: Played): Json {
  const headers = row.headers ?? [];
  const call = playedOf(played, row.id);
  const parts = {
    security: SECURITY[row.key],
    parameters: headers.map((name) => REQUEST_HEADERS[name]),
    needsBody: true,
    answerHeaders: [...KEYED, ...(headers.includes("Idempotency-Key") ? ["Idempotent-Replayed"] : [])],
    errors: errorResponses(row, call),
  };
  return describedCall(row, parts, call);
}

/** The document's own security asks for a key. */
const SECURITY: Readonly<Record<KeyNeed, Json>> = {
  required: {},
  optional: { security: [{}, { [KEY_SCHEME]: [] }] },
  none: { security: [] },
};

const INFO: Json = {
  title: "Payments API (sandbox)",
  version: "{{version}}",
  license: { name: "MIT", identifier: "MIT" },
  description: [
    "Payins, checkouts, balances, payouts and webhooks of a payments service in test mode. No real money moves.",
    "Amounts are decimal strings, times are ISO 8601, currency codes are upper case, IDs are opaque. " +
      "Objects in responses may gain fields; ignore those you do not know.",
    "What the interface leaves open and the sandbox decided is marked `x-sandbox-assumption`.",
  ].join("\n\n"),
  [ASSUMPTION]:
    "Times have milliseconds and Z. Every create returns 200. A path that exists with another method returns " +
    "405 `METHOD_NOT_ALLOWED`. Checks run in this order: path, key, rate, permission, organization, size and JSON, fields.",
};

const SECURITY_SCHEME: Json = {
  type: "http",
  scheme: "bearer",
  bearerFormat: "sk_test_… or sk_live_…",
  description:
    "An API key. Its prefix gives the mode: `sk_test_` or `sk_live_`. A key sees the data of its mode only.",
  [ASSUMPTION]: "A missing key, and a scheme other than Bearer, get the same response as an invalid key.",
};
