import type { Context } from "hono";
import type { Catalogue } from "../../domain/catalogue.js";
import { refuse } from "../../schema/errors.js";
import { bearerKey } from "../authenticate.js";
import type { World, Worlds } from "../ports.js";
import { errorReply, type Reply, toResponse } from "../reply.js";
import { type OpenApiDocument, openApiDocument, servedAt } from "./document.js";
import { factsOf } from "./facts.js";

/** Made once for each set of fixtures, when it is first asked for. */
const documents = new WeakMap<Catalogue, OpenApiDocument>();

/** The document of a namespace, at the address its links carry or the one the request came to. */
export function documentOf(world: World, version: string, requestUrl: string): OpenApiDocument {
  const { catalogue } = world.engine;
  let document = documents.get(catalogue);
  if (document === undefined) {
    document = openApiDocument(factsOf(world.engine, version));
    documents.set(catalogue, document);
  }
  return servedAt(document, world.publicUrl ?? new URL(requestUrl).origin);
}

/** `GET /openapi.json` (contract section 7): the document of the namespace that is meant. */
export function serveOpenApi(worlds: Worlds, c: Context): Response {
  const { headers } = c.req.raw;
  const name = headers.get("sandbox-namespace");
  const world = worlds.find(name, bearerKey(headers.get("authorization")));
  const reply: Reply =
    world === undefined
      ? errorReply(refuse("NOT_FOUND", `There is no namespace "${name ?? ""}"`))
      : { status: 200, json: JSON.stringify(documentOf(world, worlds.version, c.req.url)) };
  return toResponse(reply, (world ?? worlds).nowMs());
}
