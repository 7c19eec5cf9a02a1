import type * as z from "zod/mini";
import { waitQuerySchema } from "../../../schema/control.js";
import { check } from "../../../schema/issues.js";
import { type Note, namedSchemas } from "../../../schema/words.js";
import { CONTROL_OPERATIONS } from "../../control/operations.js";
import type { Component } from "../component.js";
import { json, type OpenApiDocument, reachable } from "../document.js";
import { ALWAYS, ANSWER_HEADERS, headerRefs } from "../headers.js";
import type { Json } from "../json.js";
import { componentSchemas, queryParameters, ref } from "../schemas.js";
import { insightComponents } from "./components/insight.js";
import { objectComponents } from "./components/objects.js";
import { requestComponents } from "./components/requests.js";
import { scenarioComponents } from "./components/scenarios.js";
import { webhookComponents } from "./components/webhooks.js";
import { worldComponents } from "./components/world.js";
import { CONTROL_TAGS, type ControlDoc } from "./doc.js";
import { controlErrors, sharedRefusals } from "./errors.js";
import { CONTROL_DOCS } from "./operations/all.js";
import { STREAM, streamContent } from "./stream.js";

/** What the control API has besides the calls of its table. */
const OTHER_OPERATIONS = [
  { id: "getHealth", method: "GET", path: "/health" },
  { id: STREAM.id, method: "GET", path: STREAM.path },
] as const;

/**
 * OpenAPI 3.1 for the control API: its table of operations, the schemas that check what it is asked and those of its
 * answers, and what is said of them; with marks for what a namespace may have otherwise (`facts.ts`).
 */
export function controlDocument(): OpenApiDocument {
  const components = ownComponents();
  const schemas = componentSchemas([
    ...components.map((one) => [one.schema, one] as const),
    // The service's own records. What no call here has is left out of the document.
    ...namedSchemas(),
  ]);
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of [...OTHER_OPERATIONS, ...CONTROL_OPERATIONS]) {
    const doc = CONTROL_DOCS[operation.id];
    if (doc === undefined) throw new Error(`no words for the control operation ${operation.id}`);
    const path = operation.path.replace(/:(\w+)/g, "{$1}");
    const described = describe(components, { ...operation, path }, doc);
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described };
  }
  const responses = sharedRefusals();
  return {
    openapi: "3.1.0",
    info: {
      title: "Control API of the payments sandbox",
      version: "{{version}}",
      license: { name: "MIT", identifier: "MIT" },
      description: ABOUT,
    },
    tags: Object.entries(CONTROL_TAGS).map(([name, description]) => ({ name, description })),
    security: [{}, { controlToken: [] }, { apiKey: [] }, { controlToken: [], apiKey: [] }],
    paths,
    webhooks: {},
    components: {
      schemas: reachable(schemas, [paths, responses]),
      responses,
      headers: { "Sandbox-Now": ANSWER_HEADERS["Sandbox-Now"]! },
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const ABOUT = [
  "Everything under `/_sandbox` drives the sandbox; it is no part of the service it stands in for.",
  "JSON in and out; an absent body is an empty object, and a field nobody knows is answered 400. Lists take `limit` " +
    "and `offset` and answer `total` and `items`.",
  "A request means the namespace its header Sandbox-Namespace names, else the one its API key belongs to, else `default`.",
  "A server that others can reach wants the control token; one bound to loopback is open. A request whose Host is not " +
    "this server's is refused with 403, and so is one by a page of another site, unless it is a link that is followed.",
].join("\n\n");

const SECURITY_SCHEMES: Readonly<Record<string, Json>> = {
  controlToken: {
    type: "apiKey",
    in: "header",
    name: "Sandbox-Control-Token",
    description:
      "What the server was started with as `--control-token`; needed when it is bound beyond loopback.",
  },
  apiKey: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "sk_test_… or sk_live_…",
    description: "Picks the namespace the key belongs to, and the mode of what is made. Never needed.",
  },
};

function ownComponents(): Component[] {
  return [
    ...worldComponents(),
    ...objectComponents(),
    ...scenarioComponents(),
    ...webhookComponents(),
    ...insightComponents(),
    ...requestComponents(),
  ];
}

interface Call {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

function describe(components: readonly Component[], call: Call, doc: ControlDoc): Json {
  const isInNamespace = call.path.startsWith("/_sandbox");
  const parameters = [
    ...pathParameters(call.path),
    ...allQueryParameters(doc),
    ...(isInNamespace ? [NAMESPACE] : []),
  ];
  return {
    operationId: call.id,
    tags: [doc.tag],
    summary: doc.summary,
    description: doc.says,
    ...(isInNamespace ? {} : { security: [] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(doc.body === undefined
      ? {}
      : {
          requestBody: {
            required: !takesNothing(components, doc.body.component),
            content: json(ref(doc.body.component), doc.body.examples),
          },
        }),
    responses: {
      200: {
        description: doc.answer.says,
        headers: headerRefs(ALWAYS),
        content:
          call.id === STREAM.id
            ? streamContent(doc.answer.examples)
            : json(ref(doc.answer.component), doc.answer.examples),
      },
      ...controlErrors({ method: call.method, isInNamespace, doc }),
    },
  };
}

/** Whether a body may be left out: an absent one is an empty object. */
function takesNothing(components: readonly Component[], name: string): boolean {
  const schema = components.find((component) => component.name === name)!.schema;
  return check(schema as z.ZodMiniType, {}).ok;
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    description: name === "name" ? "What it is called." : `Id of the ${name!.replace(/_id$/, "")}.`,
    schema: { type: "string" },
  }));
}

const WAIT_NOTES: Readonly<Record<string, Note>> = {
  wait: {
    says: "While an advance is under way, wait for it so long (wall time, up to 10m) rather than be refused.",
    examples: ["10s"],
  },
};

function allQueryParameters({ query, openQuery = [], waits }: ControlDoc): Json[] {
  return [
    ...(query === undefined ? [] : queryParameters(query.schema, query.notes)),
    ...openQuery,
    ...(waits ? queryParameters(waitQuerySchema, WAIT_NOTES) : []),
  ];
}

const NAMESPACE: Json = {
  name: "Sandbox-Namespace",
  in: "header",
  description: "The namespace that is meant; without it that of the API key, else `default`.",
  schema: { type: "string" },
  example: "default",
};
