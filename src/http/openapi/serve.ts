import type { Context } from "hono";
import type { Engine } from "../../engine/engine.js";
import type { Namespace } from "../../namespace/namespace.js";
import type { Namespaces } from "../../namespace/namespaces.js";
import { bearerKey } from "../authenticate.js";
import { toResponse } from "../reply.js";
import { noNamespace } from "../service/admit.js";
import { type OpenApiDocument, openApiDocument, servedAt } from "./document.js";
import { type Facts, factsOf } from "./facts.js";

/** Made once for each namespace, when it is first asked for. */
const documents = new WeakMap<Engine, OpenApiDocument>();

/** The document of a namespace, and the address it names: the one links carry, or the one the request came to. */
export interface Described {
  readonly namespace: Namespace;
  readonly baseUrl: string;
  readonly document: OpenApiDocument;
}

/** The namespace that a request means and its address, or the answer that there is none. */
export function worldFor(namespaces: Namespaces, c: Context): Omit<Described, "document"> | Response {
  const { headers } = c.req.raw;
  const name = headers.get("sandbox-namespace");
  const key = bearerKey(headers.get("authorization"));
  const namespace = namespaces.find(name, key);
  if (namespace === undefined) return toResponse(noNamespace(namespaces, name, key), namespaces.nowMs());
  return { namespace, baseUrl: namespace.publicUrl ?? new URL(c.req.url).origin };
}

/** Describes the namespace that a request means, or answers that there is none. */
export function describeFor(namespaces: Namespaces, paths: Facts["paths"], c: Context): Described | Response {
  const found = worldFor(namespaces, c);
  if (found instanceof Response) return found;
  const { namespace, baseUrl } = found;
  let document = documents.get(namespace.engine);
  if (document === undefined) {
    document = openApiDocument(factsOf(namespace.engine, namespaces.version, paths));
    documents.set(namespace.engine, document);
  }
  return { namespace, baseUrl, document: servedAt(document, baseUrl) };
}

/** `GET /openapi.json` (contract section 7). */
export function serveOpenApi(namespaces: Namespaces, paths: Facts["paths"], c: Context): Response {
  const described = describeFor(namespaces, paths, c);
  if (described instanceof Response) return described;
  return toResponse({ status: 200, json: JSON.stringify(described.document) }, described.namespace.nowMs());
}
