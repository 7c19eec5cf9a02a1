import type { Context } from "hono";
import type { Engine } from "../../engine/engine.js";
import { bearerKey } from "../authenticate.js";
import type { World, Worlds } from "../ports.js";
import { toResponse } from "../reply.js";
import { noNamespace } from "../service.js";
import { type OpenApiDocument, openApiDocument, servedAt } from "./document.js";
import { type Facts, factsOf } from "./facts.js";

/** Made once for each namespace, when it is first asked for. */
const documents = new WeakMap<Engine, OpenApiDocument>();

/** The document of a namespace, and the address it names: the one links carry, or the one the request came to. */
export interface Described {
  readonly world: World;
  readonly baseUrl: string;
  readonly document: OpenApiDocument;
}

/** The namespace that a request means and its address, or the answer that there is none. */
export function worldFor(worlds: Worlds, c: Context): Omit<Described, "document"> | Response {
  const { headers } = c.req.raw;
  const name = headers.get("sandbox-namespace");
  const key = bearerKey(headers.get("authorization"));
  const world = worlds.find(name, key);
  if (world === undefined) return toResponse(noNamespace(worlds, name, key), worlds.nowMs());
  return { world, baseUrl: world.publicUrl ?? new URL(c.req.url).origin };
}

/** Describes the namespace that a request means, or answers that there is none. */
export function describeFor(worlds: Worlds, paths: Facts["paths"], c: Context): Described | Response {
  const found = worldFor(worlds, c);
  if (found instanceof Response) return found;
  const { world, baseUrl } = found;
  let document = documents.get(world.engine);
  if (document === undefined) {
    document = openApiDocument(factsOf(world.engine, worlds.version, paths));
    documents.set(world.engine, document);
  }
  return { world, baseUrl, document: servedAt(document, baseUrl) };
}

/** `GET /openapi.json` (contract section 7). */
export function serveOpenApi(worlds: Worlds, paths: Facts["paths"], c: Context): Response {
  const described = describeFor(worlds, paths, c);
  if (described instanceof Response) return described;
  return toResponse({ status: 200, json: JSON.stringify(described.document) }, described.world.nowMs());
}
