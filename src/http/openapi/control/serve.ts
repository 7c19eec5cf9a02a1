import type { Context } from "hono";
import type { Engine } from "../../../engine/engine.js";
import type { Namespaces } from "../../../namespace/namespaces.js";
import { toResponse } from "../../reply.js";
import { type OpenApiDocument, servedAt } from "../document.js";
import { type Facts, factsOf } from "../facts.js";
import { type Described, worldFor } from "../serve.js";
import { controlDocument } from "./document.js";

/** Made once for each namespace, when it is first asked for. */
const documents = new WeakMap<Engine, OpenApiDocument>();
/** Paths of a user's own are the service's. */
const NO_PATHS: Facts["paths"] = {};

/** Describes the control API to whoever asks, or answers that there is no such namespace. */
export function describeControlFor(namespaces: Namespaces, c: Context): Described | Response {
  const found = worldFor(namespaces, c);
  if (found instanceof Response) return found;
  const { namespace, baseUrl } = found;
  let document = documents.get(namespace.engine);
  if (document === undefined) {
    document = controlDocument(factsOf(namespace.engine, namespaces.version, NO_PATHS));
    documents.set(namespace.engine, document);
  }
  return { namespace, baseUrl, document: servedAt(document, baseUrl) };
}

/** `GET /_sandbox/openapi.json`. */
export function serveControlOpenApi(namespaces: Namespaces, c: Context): Response {
  const described = describeControlFor(namespaces, c);
  if (described instanceof Response) return described;
  return toResponse({ status: 200, json: JSON.stringify(described.document) }, described.namespace.nowMs());
}
