export type OpenApiJson = { [name: string]: unknown };

/** Extension keyword for the sandbox's assumptions about the service, which the service's interface does not state. */
export const ASSUMPTION_KEY = "x-sandbox-assumption";

/** An OpenAPI document. `withServer` adds the field `servers`. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: OpenApiJson;
  readonly servers?: readonly OpenApiJson[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: readonly OpenApiJson[];
  readonly paths: Paths;
  readonly webhooks: Readonly<Record<string, OpenApiJson>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, OpenApiJson>>;
    readonly responses: Readonly<Record<string, OpenApiJson>>;
    readonly headers: Readonly<Record<string, OpenApiJson>>;
    readonly securitySchemes: Readonly<Record<string, OpenApiJson>>;
  };
}

type Paths = Readonly<Record<string, Readonly<Record<string, OpenApiJson>>>>;

/** @param calls each call, such as `GET /charges/{id}`, with its Operation Object */
export function pathsOf(calls: readonly (readonly [call: string, operation: OpenApiJson])[]): Paths {
  const paths: Record<string, Record<string, OpenApiJson>> = {};
  for (const [call, operation] of calls) {
    const [method, path] = call.split(" ") as [string, string];
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  return paths;
}

export function withServer(document: OpenApiDocument, baseUrl: string): OpenApiDocument {
  const { openapi, info, ...rest } = document;
  return { openapi, info, servers: [{ url: baseUrl, description: "This sandbox" }], ...rest };
}

export function withCustomPaths(
  paths: Readonly<Record<string, string>>,
  document: OpenApiDocument,
): OpenApiDocument {
  const calls = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, operation]) =>
        [`${method} ${paths[String(operation.operationId)] ?? path}`, operation] as const,
    ),
  );
  return { ...document, paths: pathsOf(calls) };
}
