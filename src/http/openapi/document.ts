import type { Operation } from "../service/operation.js";
import { OPERATIONS } from "../service/operations.js";
import { errorResponses, exampleName, sharedResponses } from "./errors.js";
import { aboutEvents, webhooks } from "./events.js";
import type { Facts } from "./facts.js";
import { ALWAYS, ANSWER_HEADERS, headerRefs, KEYED, REQUEST_HEADERS } from "./headers.js";
import { type Examples, type OperationDoc, TAGS } from "./operation-doc.js";
import { OPERATION_DOCS } from "./operations/all.js";
import { componentSchemas, querySchemas, ref } from "./schemas.js";
import { ASSUMPTION, type Json, noteKeywords } from "./types.js";

/** The OpenAPI document as far as it is the same at every address. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: Json;
  readonly servers?: readonly Json[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: readonly Json[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly webhooks: Readonly<Record<string, Json>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly responses: Readonly<Record<string, Json>>;
    readonly headers: Readonly<Record<string, Json>>;
    readonly securitySchemes: Readonly<Record<string, Json>>;
  };
}

const KEY_SCHEME = "apiKey";

/**
 * OpenAPI 3.1 for the emulated service: the table of operations, the schemas that check requests and those of
 * the answers, and what is said of them. What the interface leaves open is marked `x-sandbox-assumption`.
 */
export function openApiDocument(facts: Facts): OpenApiDocument {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of OPERATIONS) {
    const doc = OPERATION_DOCS[operation.id];
    if (doc === undefined) throw new Error(`no words for the operation ${operation.id}`);
    const path = facts.paths[operation.id] ?? operation.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(facts, path, operation, doc) };
  }
  return {
    openapi: "3.1.0",
    info: info(facts),
    tags: Object.entries({ ...TAGS, Events: aboutEvents(facts) }).map(([name, description]) => ({
      name,
      description,
    })),
    security: [{ [KEY_SCHEME]: [] }],
    paths,
    webhooks: webhooks(facts),
    components: {
      schemas: componentSchemas(facts),
      responses: sharedResponses(facts),
      headers: ANSWER_HEADERS,
      securitySchemes: { [KEY_SCHEME]: SECURITY_SCHEME },
    },
  };
}

/** The document as served at an address. */
export function servedAt(document: OpenApiDocument, baseUrl: string): OpenApiDocument {
  const { openapi, info: about, ...rest } = document;
  return { openapi, info: about, servers: [{ url: baseUrl, description: "This sandbox" }], ...rest };
}

function info({ version }: Facts): Json {
  return {
    title: "Payments service, as the sandbox stands in for it",
    version,
    license: { name: "MIT", identifier: "MIT" },
    description: [
      "Payins, checkouts, balances, payouts and webhooks of a payments service in test mode. No real money moves.",
      "Amounts are strings of decimals, times are ISO 8601, currency codes are upper case, ids say nothing. Objects in " +
        "answers may gain fields; ignore those you do not know.",
      "What the interface leaves open and the sandbox decided is marked `x-sandbox-assumption`.",
    ].join("\n\n"),
    [ASSUMPTION]:
      "Times have milliseconds and Z. Every create is answered 200. A path that exists with another method is answered " +
      "405 `METHOD_NOT_ALLOWED`. Checks go in this order: path, key, rate, permission, organization, size and JSON, fields.",
  };
}

const SECURITY_SCHEME: Json = {
  type: "http",
  scheme: "bearer",
  bearerFormat: "sk_test_… or sk_live_…",
  description:
    "An API key. Its prefix gives the mode: `sk_test_` or `sk_live_`. A key sees the data of its mode only.",
  [ASSUMPTION]: "A missing key, and a scheme other than Bearer, are answered like an invalid key.",
};

function describe(facts: Facts, path: string, operation: Operation, doc: OperationDoc): Json {
  const parameters = parametersOf(facts, path, doc);
  return {
    operationId: operation.id,
    tags: [doc.tag],
    summary: doc.summary,
    description: doc.says,
    ...(doc.assumed === undefined ? {} : { [ASSUMPTION]: doc.assumed }),
    ...SECURITY[operation.key],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(doc.body === undefined
      ? {}
      : { requestBody: { required: true, content: json(doc.body.component, doc.body.examples) } }),
    responses: {
      200: {
        description: doc.answer.says,
        headers: headerRefs([
          ...(operation.key === "none" ? ALWAYS : KEYED),
          ...(doc.answer.replayable ? ["Idempotent-Replayed"] : []),
        ]),
        content: json(doc.answer.component, doc.answer.examples),
      },
      ...errorResponses(facts, operation, doc),
    },
  };
}

/** The document's own security asks for a key. */
const SECURITY: Readonly<Record<Operation["key"], Json>> = {
  required: {},
  optional: { security: [{}, { [KEY_SCHEME]: [] }] },
  none: { security: [] },
};

function parametersOf(facts: Facts, path: string, doc: OperationDoc): Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    description: `Id of the ${name!.replace(/_id$/, "")}.`,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(doc.query === undefined ? {} : querySchemas(facts, doc.query.schema)).map(
    ([name, schema]) => {
      const { description, examples, [ASSUMPTION]: assumed } = noteKeywords(doc.query!.notes[name]!);
      return {
        name,
        in: "query",
        description,
        ...(assumed === undefined ? {} : { [ASSUMPTION]: assumed }),
        schema: { ...schema, ...(examples === undefined ? {} : { examples }) },
      };
    },
  );
  return [...inPath, ...inQuery, ...(doc.headers ?? []).map((name) => REQUEST_HEADERS[name])];
}

function json(component: string, examples: Examples): Json {
  return {
    "application/json": {
      schema: ref(component),
      examples: Object.fromEntries(
        Object.entries(examples).map(([name, value]) => [exampleName(name), { summary: name, value }]),
      ),
    },
  };
}
