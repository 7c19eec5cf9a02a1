// Serves the OpenAPI documents of both APIs. The build makes each `OpenApiDocument` from operations, schemas and
// recorded examples. `respondWithDocument` fills in the values of a namespace. No request is validated here.
import type { Context } from "hono";
import type { Engine } from "../../core/engine/engine.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import { parseBearerKey } from "../http/call.js";
import { toResponse } from "../http/reply.js";
import { unknownNamespaceReply } from "../service/admit.js";
import { type OpenApiDocument, withCustomPaths, withServer } from "./document.js";
import { createPlaceholderLookup, fillPlaceholders } from "./placeholders.js";

export type ApiName = "service" | "control";

/** Makes or reads the document of an API, with placeholders for the values of a namespace. */
export type DocumentLoader = (api: ApiName) => Promise<OpenApiDocument>;

export interface DocumentOptions {
  readonly namespaces: Namespaces;
  /** Custom paths by operation id. */
  readonly paths: Readonly<Record<string, string>>;
  readonly documentOf: DocumentLoader;
}

interface NamespaceDocument {
  readonly namespace: Namespace;
  /** The public URL, or else the origin of the request. */
  readonly baseUrl: string;
  readonly document: OpenApiDocument;
}

/** Documents with the values of a namespace, made at the first request. */
const filledDocuments = {
  service: new WeakMap<Engine, OpenApiDocument>(),
  control: new WeakMap<Engine, OpenApiDocument>(),
};

/** Responds with the document for the namespace of the request, or with 404 if there is no such namespace. */
export async function respondWithDocument(
  api: ApiName,
  { namespaces, paths, documentOf }: DocumentOptions,
  c: Context,
  respond: (described: NamespaceDocument) => Response,
): Promise<Response> {
  const { headers } = c.req.raw;
  const name = headers.get("sandbox-namespace");
  const key = parseBearerKey(headers.get("authorization"));
  const namespace = namespaces.find(name, key);
  if (namespace === undefined)
    return toResponse(unknownNamespaceReply(namespaces, name, key), namespaces.nowMs());
  let document = filledDocuments[api].get(namespace.engine);
  if (document === undefined) {
    const described = fillPlaceholders(
      await documentOf(api),
      createPlaceholderLookup(namespace.engine, namespaces.options.base.version),
    );
    document = api === "service" ? withCustomPaths(paths, described) : described;
    filledDocuments[api].set(namespace.engine, document);
  }
  const baseUrl = namespace.publicUrl ?? new URL(c.req.url).origin;
  return respond({ namespace, baseUrl, document: withServer(document, baseUrl) });
}

/** `GET /openapi.json` and `GET /_sandbox/openapi.json`. */
export function serveDocument(api: ApiName, options: DocumentOptions, c: Context): Promise<Response> {
  return respondWithDocument(api, options, c, ({ document, namespace }) =>
    toResponse({ status: 200, json: JSON.stringify(document) }, namespace.nowMs()),
  );
}
