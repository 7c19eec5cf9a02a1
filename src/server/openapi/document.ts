/** A JSON Schema, and any other part of a document: plain JSON. */
export type Json = { [name: string]: unknown };

/** The extension that marks what the interface leaves open and this sandbox decided. */
export const ASSUMPTION = "x-sandbox-assumption";

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

/** Calls at their paths. */
export function pathsOf(
  calls: readonly { readonly path: string; readonly method: string; readonly described: Json }[],
): Paths {
  const paths: Record<string, Record<string, Json>> = {};
  for (const { path, method, described } of calls)
    paths[path] = { ...paths[path], [method.toLowerCase()]: described };
  return paths;
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
