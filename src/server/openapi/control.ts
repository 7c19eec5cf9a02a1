import "../../core/schema/control-bodies.js";
import "../../core/schema/control-scenario-responses.js";
import type * as z from "zod/mini";
import { waitQuerySchema } from "../../core/schema/control.js";
import { STREAM_SCHEMAS } from "../../core/schema/control-responses.js";
import { check } from "../../core/schema/issues.js";
import type { ControlRow } from "../control/operation.js";
import { CONTROL_OPERATIONS } from "../control/operations.js";
import { HEALTH } from "../control/sandbox.js";
import { STREAM } from "../control/stream.js";
import { controlErrors, sharedRefusals } from "./control-errors.js";
import { braced, describedCall, namedExamples } from "./described.js";
import { type Json, type OpenApiDocument, pathsOf } from "./document.js";
import { ALWAYS, ANSWER_HEADERS } from "./headers.js";
import { componentSchemas, nameOf, queryParameters, reachable, ref, schemaCalled } from "./schemas.js";

/** Each tag, and the first words of the paths it is for. */
const TAGS: Readonly<Record<string, { readonly says: string; readonly paths: readonly string[] }>> = {
  Sandbox: { says: "About this server, health and reset.", paths: ["health", "", "reset"] },
  Namespaces: {
    says: "Namespaces side by side: each with its own state, keys, clock and logs.",
    paths: ["namespaces"],
  },
  State: { says: "Export, import and snapshots of the whole state.", paths: ["state", "snapshots"] },
  Clock: { says: "Sandbox time.", paths: ["clock"] },
  Objects: {
    says: "Charges, withdrawals, checkouts and balances of every organization and both modes.",
    paths: ["charges", "withdrawals", "quotes", "destinations", "checkouts", "balances", "rates"],
  },
  Access: {
    says: "Keys and organizations, changed while it runs.",
    paths: ["keys", "organizations"],
  },
  Scenarios: {
    says: "What happens to charges and withdrawals, and which API calls fail.",
    paths: ["scenarios", "faults", "lease"],
  },
  Webhooks: {
    says: "Events, deliveries and receivers.",
    paths: ["events", "deliveries", "mailboxes", "webhook-endpoints"],
  },
  Insight: {
    says: "What the app did, what it has not been tested with, and what happens next.",
    paths: ["requests", "stream", "coverage", "next", "tasks", "reconcile", "advice", "failed-tests", "wait"],
  },
};

function tagOf(path: string): string {
  const [, word = ""] = /^\/(?:_sandbox\/?)?([^/]*)/.exec(path)!;
  const tag = Object.entries(TAGS).find(([, { paths }]) => paths.includes(word));
  if (tag === undefined) throw new Error(`no tag is for ${path}`);
  return tag[0];
}

/**
 * OpenAPI 3.1 for the control API, from its rows and the words on their schemas; with marks for what a namespace may
 * have otherwise (`facts.ts`), for its charges are the service's.
 */
export function controlDocument(): OpenApiDocument {
  const rows: readonly ControlRow<unknown, unknown>[] = [HEALTH, STREAM, ...CONTROL_OPERATIONS];
  const paths = pathsOf(
    rows.map((row) => ({ path: braced(row.path), method: row.method, described: describe(row) })),
  );
  const responses = sharedRefusals();
  return {
    openapi: "3.1.0",
    info: INFO,
    tags: Object.entries(TAGS).map(([name, { says }]) => ({ name, description: says })),
    security: [{}, { controlToken: [] }, { apiKey: [] }, { controlToken: [], apiKey: [] }],
    paths,
    webhooks: {},
    components: {
      schemas: reachable(componentSchemas(), [paths, responses]),
      responses,
      headers: Object.fromEntries(ALWAYS.map((name) => [name, ANSWER_HEADERS[name]!])),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const INFO: Json = {
  title: "Control API (sandbox)",
  version: "{{version}}",
  license: { name: "MIT", identifier: "MIT" },
  description: [
    "Everything under `/_sandbox` drives the sandbox; it is not part of the emulated service.",
    "JSON in and out; an absent body means an empty object, and an unknown field returns 400. Lists take `limit` " +
      "and `offset` and return `total` and `items`.",
    "The namespace is taken from the header Sandbox-Namespace, else from the API key, else it is `default`.",
    "A server that other machines can reach needs the control token; one bound to loopback is open. A request with a " +
      "foreign Host header returns 403, and so does one from a page of another site, unless it follows a link.",
  ].join("\n\n"),
};

const SECURITY_SCHEMES: Readonly<Record<string, Json>> = {
  controlToken: {
    type: "apiKey",
    in: "header",
    name: "Sandbox-Control-Token",
    description: "The server's `--control-token`; needed when it listens beyond loopback.",
  },
  apiKey: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "sk_test_… or sk_live_…",
    description: "Selects the namespace the key belongs to, and the mode of new objects. Always optional.",
  },
};

function describe(row: ControlRow<unknown, unknown>): Json {
  const { says, path, queryPrefix } = row;
  const rawBody = says.body === undefined ? undefined : (schemaCalled(says.body) as z.ZodMiniType);
  const body = row.body ?? rawBody;
  const described = describedCall(
    {
      ...row,
      ...(rawBody === undefined ? {} : { rawBody }),
      says: { ...says, tag: tagOf(path) },
    },
    {
      security: row === HEALTH ? { security: [] } : {},
      parameters: [
        ...(queryPrefix === undefined ? [] : [prefixed(queryPrefix, says.prefixed ?? "")]),
        ...(row.waits ? queryParameters(waitQuerySchema) : []),
        ...(row === STREAM ? [NAMESPACE_IN_QUERY] : []),
        ...(row === HEALTH ? [] : [NAMESPACE]),
      ],
      // An absent body is an empty object.
      needsBody: body !== undefined && !check(body, {}).ok,
      answerHeaders: ALWAYS,
      errors: controlErrors(row, row !== HEALTH),
    },
    { bodies: says.example === undefined ? {} : { example: says.example }, answers: {} },
  );
  return row === STREAM ? { ...described, responses: streamed(described.responses as Responses) } : described;
}

const NAMESPACE: Json = {
  name: "Sandbox-Namespace",
  in: "header",
  description: "The namespace; by default that of the API key, else `default`.",
  schema: { type: "string" },
  example: "default",
};
const NAMESPACE_IN_QUERY: Json = {
  name: "namespace",
  in: "query",
  description: "Replaces the header Sandbox-Namespace, which an EventSource cannot send.",
  schema: { type: "string" },
  example: "default",
};

/** Parameters whose names no schema can list, for they only begin alike. */
function prefixed(prefix: string, description: string): Json {
  return {
    name: prefix.slice(0, -1),
    in: "query",
    description,
    style: "form",
    explode: true,
    schema: {
      type: "object",
      propertyNames: { pattern: `^${prefix.replace(".", "\\.")}.` },
      additionalProperties: { type: "string" },
    },
    example: { [`${prefix}order_id`]: "1042" },
  };
}

type Responses = Readonly<Record<string, Json>>;

/** Text, one message after the other; what a message is once it is read stands in `contentSchema`. */
function streamed(responses: Responses): Responses {
  const messages = Object.entries(STREAM_SCHEMAS).map(([event, schema]) => ({
    type: "object",
    required: ["event", "data"],
    properties: { event: { const: event }, data: ref(nameOf(schema)) },
  }));
  const type = "text/event-stream";
  const schema = { type: "string", contentMediaType: type, contentSchema: { oneOf: messages } };
  const hello = 'event: hello\ndata: {"namespace":"default","now":"2026-01-31T09:00:00.000Z"}\n\n';
  const content = { [type]: { schema, examples: namedExamples({ "its beginning": hello }) } };
  return { ...responses, 200: { ...responses[200], content } };
}
