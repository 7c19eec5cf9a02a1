import type { Context } from "hono";
import type { Engine } from "../../../engine/engine.js";
import type { Worlds } from "../../ports.js";
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
export function describeControlFor(worlds: Worlds, c: Context): Described | Response {
  const found = worldFor(worlds, c);
  if (found instanceof Response) return found;
  const { world, baseUrl } = found;
  let document = documents.get(world.engine);
  if (document === undefined) {
    document = controlDocument(factsOf(world.engine, worlds.version, NO_PATHS));
    documents.set(world.engine, document);
  }
  return { world, baseUrl, document: servedAt(document, baseUrl) };
}

/** `GET /_sandbox/openapi.json`. */
export function serveControlOpenApi(worlds: Worlds, c: Context): Response {
  const described = describeControlFor(worlds, c);
  if (described instanceof Response) return described;
  return toResponse({ status: 200, json: JSON.stringify(described.document) }, described.world.nowMs());
}
