import type { Context } from "hono";
import type { Engine } from "../../engine/engine.js";
import { refuse } from "../../schema/errors.js";
import { bearerKey } from "../authenticate.js";
import type { World, Worlds } from "../ports.js";
import { errorReply, type Reply, toResponse } from "../reply.js";
import { type OpenApiDocument, openApiDocument, servedAt } from "./document.js";
import { type Facts, factsOf } from "./facts.js";

/** Made once for each namespace, when it is first asked for. */
const documents = new WeakMap<Engine, OpenApiDocument>();

/** The document of a namespace, at the address its links carry or the one the request came to. */
export function documentOf(
  world: World,
  version: string,
  paths: Facts["paths"],
  requestUrl: string,
): OpenApiDocument {
  let document = documents.get(world.engine);
  if (document === undefined) {
    document = openApiDocument(factsOf(world.engine, version, paths));
    documents.set(world.engine, document);
  }
  return servedAt(document, world.publicUrl ?? new URL(requestUrl).origin);
}

/** `GET /openapi.json` (contract section 7): the document of the namespace that is meant. */
export function serveOpenApi(worlds: Worlds, paths: Facts["paths"], c: Context): Response {
  const { headers } = c.req.raw;
  const name = headers.get("sandbox-namespace");
  const world = worlds.find(name, bearerKey(headers.get("authorization")));
  const reply: Reply =
    world === undefined
      ? errorReply(refuse("NOT_FOUND", `There is no namespace "${name ?? ""}"`))
      : { status: 200, json: JSON.stringify(documentOf(world, worlds.version, paths, c.req.url)) };
  return toResponse(reply, (world ?? worlds).nowMs());
}
