import type * as z from "zod/mini";
import type { DescribedRow } from "../operation.js";
import { headerRefs } from "./headers.js";
import { ASSUMPTION, type Json } from "./json.js";
import type { Examples, PlayedCall } from "./played.js";
import { nameOf, queryParameters, ref } from "./schemas.js";

/** An OpenAPI document as far as it is the same at every address. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: Json;
  readonly servers?: readonly Json[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: readonly Json[];
  readonly paths: Paths;
  readonly webhooks: Readonly<Record<string, Json>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly responses: Readonly<Record<string, Json>>;
    readonly headers: Readonly<Record<string, Json>>;
    readonly securitySchemes: Readonly<Record<string, Json>>;
  };
}

type Paths = Readonly<Record<string, Readonly<Record<string, Json>>>>;

/** What is said of a call besides what its row says: what is the same for many calls. */
export interface CallParts {
  /** What lifts or changes the document's own security. */
  readonly security: Json;
  readonly parameters: readonly Json[];
  readonly needsBody: boolean;
  readonly answerHeaders: readonly string[];
  readonly errors: Readonly<Record<string, Json>>;
}

/** A row as the document has it. */
export function describedCall(row: DescribedRow, parts: CallParts, played: PlayedCall): Json {
  const { tag, summary, about, assumed, answer } = row.says;
  const body = row.body ?? row.rawBody;
  const parameters = [
    ...pathParameters(row.path),
    ...(row.query === undefined ? [] : queryParameters(row.query as z.ZodMiniObject)),
    ...parts.parameters,
  ];
  return {
    operationId: row.id,
    tags: [tag],
    summary,
    description: about,
    ...(assumed === undefined ? {} : { [ASSUMPTION]: assumed }),
    ...parts.security,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: parts.needsBody, content: json(ref(nameOf(body)), played.bodies) } }),
    responses: {
      200: {
        description: answer,
        headers: headerRefs(parts.answerHeaders),
        content: json(ref(row.answer), played.answers[200] ?? {}),
      },
      ...parts.errors,
    },
  };
}

/** Calls at their paths. */
export function pathsOf(
  calls: readonly { readonly path: string; readonly method: string; readonly described: Json }[],
): Paths {
  const paths: Record<string, Record<string, Json>> = {};
  for (const { path, method, described } of calls)
    paths[path] = { ...paths[path], [method.toLowerCase()]: described };
  return paths;
}

/** A path as OpenAPI writes it. */
export function braced(path: string): string {
  return path.replace(/:(\w+)/g, "{$1}");
}

/** JSON of a schema, with examples by what they are called. */
export function json(schema: Json, examples: Examples): Json {
  return {
    "application/json": {
      schema,
      examples: namedExamples(examples),
    },
  };
}

export function namedExamples(examples: Examples): Json {
  return Object.fromEntries(
    Object.entries(examples).map(([name, value]) => [
      // A key of the document: no spaces in it.
      name.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, ""),
      { summary: name, value },
    ]),
  );
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    description: name === "name" ? "What it is called." : `Id of the ${name!.replace(/_id$/, "")}.`,
    schema: { type: "string" },
  }));
}

/** The document as served at an address. */
export function servedAt(document: OpenApiDocument, baseUrl: string): OpenApiDocument {
  const { openapi, info, ...rest } = document;
  return { openapi, info, servers: [{ url: baseUrl, description: "This sandbox" }], ...rest };
}

/** The document with calls at paths of the user's own, by operation id. */
export function movedTo(own: Readonly<Record<string, string>>, document: OpenApiDocument): OpenApiDocument {
  const calls = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => ({
      path: own[String(described.operationId)] ?? path,
      method,
      described,
    })),
  );
  return { ...document, paths: pathsOf(calls) };
}

/** The schemas that are named by these parts, and by each other. */
export function reachable(
  schemas: Readonly<Record<string, Json>>,
  parts: readonly unknown[],
): Record<string, Json> {
  const found = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"/]+)"/g))
      if (!found.has(name!)) {
        found.add(name!);
        if (schemas[name!] === undefined) throw new Error(`no schema is called ${name}`);
        follow(schemas[name!]);
      }
  };
  follow(parts);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
}
