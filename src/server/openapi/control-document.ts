import { memoryFull } from "../../core/engine/memory-meter.js";
import { clockWaitQuerySchema } from "../../core/schema/control-requests.js";
import { STREAM_SCHEMAS } from "../../core/schema/control-responses.js";
import { safeParse } from "../../core/schema/issues.js";
import {
  ERROR_STATUS,
  type ErrorCode,
  INTERNAL_ERROR,
  INVALID_QUERY_MESSAGE,
  type Refusal,
  refuse,
  refuseInvalid,
  STORAGE_AWAY,
} from "../../core/schema/refusals.js";
import type { ControlRow } from "../control/control-operation.js";
import { CONTROL_OPERATIONS_BY_TAG, type ControlTag } from "../control/operations.js";
import { HEALTH_SPEC } from "../control/sandbox.js";
import { STREAM_SPEC } from "../control/stream.js";
import { TOO_MANY_WAITS } from "../control/wait.js";
import { CROSS_ORIGIN_MESSAGE } from "../http/access.js";
import { bodyTooLargeRefusal } from "../http/body.js";
import { bodySchema, querySchema } from "../http/operation-row.js";
import { errorReply } from "../http/reply.js";
import { type OpenApiDocument, type OpenApiJson, pathsOf } from "./document.js";
import type { NamedExamples } from "./example-recorder.js";
import { COMMON_HEADERS, headerRefs, RESPONSE_HEADERS } from "./headers.js";
import { linksOf } from "./links.js";
import { examplesObject, jsonContent, operationObject } from "./operation-object.js";
import { componentSchemas, queryParameters, reachableSchemas, schemaNameOf, schemaRef } from "./schemas.js";

const TAG_DESCRIPTIONS: Readonly<Record<ControlTag, string>> = {
  Sandbox: "About this server, health and reset.",
  Namespaces: "Namespaces side by side: each with its own state, keys, clock and logs.",
  State: "Export, import and snapshots of the whole state.",
  Clock: "Sandbox time.",
  Objects: "Charges, withdrawals, checkouts and balances of every organization and both modes.",
  Access: "Keys and organizations, changed while it runs.",
  Scenarios: "What happens to charges and withdrawals, and which API calls fail.",
  Webhooks: "Events, deliveries and receivers.",
  Insight: "What the app did, what it has not been tested with, and what happens next.",
};

export function controlDocument(): OpenApiDocument {
  const tags = Object.keys(CONTROL_OPERATIONS_BY_TAG) as ControlTag[];
  const rows: [ControlTag, ControlRow][] = [
    ["Sandbox", HEALTH_SPEC],
    ["Insight", STREAM_SPEC],
    ...tags.flatMap((tag) =>
      CONTROL_OPERATIONS_BY_TAG[tag].map((row): [ControlTag, ControlRow] => [tag, row]),
    ),
  ];
  const paths = pathsOf(
    rows.map(([tag, row]) => [
      row.call,
      describeControlCall(
        tag,
        row,
        rows.map(([, one]) => one),
      ),
    ]),
  );
  const responses = sharedControlResponses();
  return {
    openapi: "3.1.0",
    info: INFO,
    tags: tags.map((name) => ({ name, description: TAG_DESCRIPTIONS[name] })),
    security: [{}, { controlToken: [] }, { apiKey: [] }, { controlToken: [], apiKey: [] }],
    paths,
    webhooks: {},
    components: {
      schemas: reachableSchemas(componentSchemas(), [paths, responses]),
      responses,
      headers: Object.fromEntries(COMMON_HEADERS.map((name) => [name, RESPONSE_HEADERS[name]!])),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const INFO: OpenApiJson = {
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

const SECURITY_SCHEMES: Readonly<Record<string, OpenApiJson>> = {
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

function describeControlCall(tag: ControlTag, row: ControlRow, rows: readonly ControlRow[]): OpenApiJson {
  const { queryPrefix, example } = row;
  const body = bodySchema(row);
  const described = operationObject(
    { ...row, tag },
    {
      security: row === HEALTH_SPEC ? { security: [] } : {},
      parameters: [
        ...(queryPrefix === undefined ? [] : [prefixedParameters(queryPrefix, row.prefixedParameters ?? "")]),
        ...(row.canWaitForClock ? queryParameters(clockWaitQuerySchema) : []),
        ...(row === STREAM_SPEC ? [NAMESPACE_IN_QUERY] : []),
        ...(row.call.endsWith("/lease") ? [RUN] : []),
        ...(row === HEALTH_SPEC ? [] : [NAMESPACE]),
      ],
      // An absent body is an empty object.
      needsBody: body !== undefined && !safeParse(body, {}).ok,
      responseHeaders: COMMON_HEADERS,
      links: linksOf(row, rows),
      errors: controlErrorResponses(row, row !== HEALTH_SPEC),
    },
    { params: {}, bodies: example === undefined ? {} : { example }, responses: {} },
  );
  return row === STREAM_SPEC
    ? { ...described, responses: withEventStream(described.responses as Responses) }
    : described;
}

const NAMESPACE: OpenApiJson = {
  name: "Sandbox-Namespace",
  in: "header",
  description: "The namespace; by default that of the API key, else `default`.",
  schema: { type: "string" },
  example: "default",
};
const RUN: OpenApiJson = {
  name: "Sandbox-Run",
  in: "header",
  required: true,
  description: "Name of the run.",
  schema: { type: "string" },
  example: "build-1042",
};
const NAMESPACE_IN_QUERY: OpenApiJson = {
  name: "namespace",
  in: "query",
  description: "Replaces the header Sandbox-Namespace, which an EventSource cannot send.",
  schema: { type: "string" },
  example: "default",
};

/** Describes all parameters with a prefix; a schema cannot list their names. */
function prefixedParameters(prefix: string, description: string): OpenApiJson {
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

type Responses = Readonly<Record<string, OpenApiJson>>;

/** Replaces the JSON content by an event stream; `contentSchema` describes one parsed message. */
function withEventStream(responses: Responses): Responses {
  const messages = Object.entries(STREAM_SCHEMAS).map(([event, schema]) => ({
    type: "object",
    required: ["event", "data"],
    properties: { event: { type: "string", enum: [event] }, data: schemaRef(schemaNameOf(schema)) },
  }));
  const type = "text/event-stream";
  const schema = { type: "string", contentMediaType: type, contentSchema: { oneOf: messages } };
  const hello = 'event: hello\ndata: {"namespace":"default","now":"2026-01-31T09:00:00.000Z"}\n\n';
  const content = { [type]: { schema, examples: examplesObject({ "its beginning": hello }) } };
  return { ...responses, 200: { ...responses[200], content } };
}

const DESCRIPTION_BY_STATUS: Readonly<Record<number, string>> = {
  400: "The request is not valid; `details` lists what is wrong",
  403: "This host or page is not allowed, or the control token is missing",
  404: "The object in the path, or the namespace in the header Sandbox-Namespace, does not exist",
  408: "Nothing matched in time; `details` has the nearest match",
  409: "Conflicts with the current state",
  413: "The body is too large",
  429: "Too many pending waits",
  500: "Internal error",
  503: "The sandbox cannot reach its database",
  507: "The sandbox has no room for more",
};

const INVALID_JSON = refuseInvalid({ body: "must be a JSON object" });
const BAD_LIMIT = refuseInvalid({ limit: "must be between 1 and 100" }, INVALID_QUERY_MESSAGE);
const UNKNOWN_PARAMETER = refuseInvalid(
  { verbose: "is not a known parameter: there are none" },
  INVALID_QUERY_MESSAGE,
);
const BAD_WAIT = refuseInvalid(
  { wait: "must be a duration such as 500ms, 30s, 10m, 2h, 1d or 1h30m" },
  INVALID_QUERY_MESSAGE,
);
const NO_NAMESPACE = refuse("NOT_FOUND", 'There is no namespace "nightly"');
const NO_TOKEN = refuse("FORBIDDEN", "The control API needs the header Sandbox-Control-Token");
const OTHER_HOST = 'This server does not serve the host "evil.test"; see --allowed-host';
const BUSY = "The clock is being advanced. Try again when it has finished, or pass ?wait=10s.";

/** Refusals that a call has in common with other calls, by example name. */
function sharedByCalls(row: ControlRow, isInNamespace: boolean): Readonly<Record<string, Refusal>> {
  return {
    ...(row.call.startsWith("GET ") ? {} : { "no JSON object": INVALID_JSON }),
    ...(querySchema(row) !== undefined
      ? { "limit out of range": BAD_LIMIT }
      : isInNamespace && row.call.startsWith("GET ")
        ? { "unknown parameter": UNKNOWN_PARAMETER }
        : {}),
    ...(row.canWaitForClock
      ? { "no duration": BAD_WAIT, "advance under way": refuse("CLOCK_BUSY", BUSY) }
      : {}),
    "another host": refuse("FORBIDDEN", OTHER_HOST),
    ...(isInNamespace
      ? {
          "no token": NO_TOKEN,
          "another site": refuse("FORBIDDEN", CROSS_ORIGIN_MESSAGE),
          "no namespace": NO_NAMESPACE,
        }
      : {}),
    ...(row.errors?.includes(TOO_MANY_WAITS.code) ? { "too many": TOO_MANY_WAITS } : {}),
  };
}

/** All errors of a control operation by status. Only refusals that calls have in common get examples. */
function controlErrorResponses(row: ControlRow, isInNamespace: boolean): Record<string, OpenApiJson> {
  const refusals = sharedByCalls(row, isInNamespace);
  const codes = new Set([...Object.values(refusals).map(({ code }) => code), ...(row.errors ?? [])]);
  const found: Record<string, OpenApiJson> = {};
  for (const code of codes) {
    const status = errorStatus(code);
    const same = Object.entries(refusals).filter(([, one]) => errorStatus(one.code) === status);
    found[status] ??= errorResponse(
      status,
      [...codes].filter((one) => errorStatus(one) === status),
      Object.fromEntries(same.map(([name, one]) => [name, errorBody(one)])),
    );
  }
  const shared = (name: string) => ({ $ref: `#/components/responses/${name}` });
  return {
    ...found,
    ...(row.call.startsWith("GET ")
      ? {}
      : {
          413: shared("TooLarge"),
          503: shared("StorageAway"),
          507: shared("LimitReached"),
        }),
    500: shared("InternalError"),
  };
}

function sharedControlResponses(): Readonly<Record<string, OpenApiJson>> {
  return {
    TooLarge: errorResponse(413, ["PAYLOAD_TOO_LARGE"], { "too large": errorBody(bodyTooLargeRefusal()) }),
    InternalError: errorResponse(500, ["INTERNAL_ERROR"], { "internal error": errorBody(INTERNAL_ERROR) }),
    LimitReached: errorResponse(507, ["LIMIT_REACHED"], {
      "no room": errorBody(memoryFull(2_500_000_000)),
    }),
    StorageAway: errorResponse(503, ["STORAGE_AWAY"], {
      "database away": errorBody(STORAGE_AWAY),
    }),
  };
}

/** Returns 409 for an insufficient balance in the control API; the service returns 400. */
function errorStatus(code: ErrorCode): number {
  return code === "INSUFFICIENT_BALANCE" ? 409 : ERROR_STATUS[code];
}

function errorBody(refusal: Refusal): unknown {
  return JSON.parse(errorReply(refusal).json);
}

function errorResponse(status: number, codes: readonly ErrorCode[], examples: NamedExamples): OpenApiJson {
  const error = {
    allOf: [
      schemaRef("ErrorInfo"),
      { type: "object", properties: { code: { type: "string", enum: codes } } },
    ],
  };
  return {
    description: DESCRIPTION_BY_STATUS[status],
    headers: headerRefs(COMMON_HEADERS),
    content: jsonContent({ type: "object", required: ["error"], properties: { error } }, examples),
  };
}
