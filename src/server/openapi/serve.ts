import type { Context } from "hono";
import type { Engine } from "../../core/engine/engine.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import { bearerKey } from "../http/call.js";
import { toResponse } from "../http/reply.js";
import { noNamespace } from "../service/admit.js";
import { movedTo, type OpenApiDocument, servedAt } from "./document.js";
import { factsOf, fill } from "./facts.js";

export type Api = "service" | "control";

/** The document of an API, with marks for what a namespace may have otherwise. */
export type DocumentOf = (api: Api) => Promise<OpenApiDocument>;

export interface DescribeOptions {
  readonly namespaces: Namespaces;
  /** Operation id → path of the user's own. */
  readonly paths: Readonly<Record<string, string>>;
  readonly documentOf: DocumentOf;
}

/** The document of a namespace, and the address it names: the one links carry, or the one the request came to. */
export interface Described {
  readonly namespace: Namespace;
  readonly baseUrl: string;
  readonly document: OpenApiDocument;
}

/** Filled once for each namespace, when it is first asked for. */
const filled = {
  service: new WeakMap<Engine, OpenApiDocument>(),
  control: new WeakMap<Engine, OpenApiDocument>(),
};

/** Describes one of the APIs as it is in the namespace that a request means, or answers that there is none. */
export async function describeFor(
  api: Api,
  { namespaces, paths, documentOf }: DescribeOptions,
  c: Context,
): Promise<Described | Response> {
  const { headers } = c.req.raw;
  const name = headers.get("sandbox-namespace");
  const key = bearerKey(headers.get("authorization"));
  const namespace = namespaces.find(name, key);
  if (namespace === undefined) return toResponse(noNamespace(namespaces, name, key), namespaces.nowMs());
  let document = filled[api].get(namespace.engine);
  if (document === undefined) {
    const known = fill(await documentOf(api), factsOf(namespace.engine, namespaces.version));
    document = api === "service" ? movedTo(paths, known) : known;
    filled[api].set(namespace.engine, document);
  }
  const baseUrl = namespace.publicUrl ?? new URL(c.req.url).origin;
  return { namespace, baseUrl, document: servedAt(document, baseUrl) };
}

/** `GET /openapi.json` and `GET /_sandbox/openapi.json`. */
export async function serveDocument(api: Api, options: DescribeOptions, c: Context): Promise<Response> {
  const described = await describeFor(api, options, c);
  if (described instanceof Response) return described;
  return toResponse({ status: 200, json: JSON.stringify(described.document) }, described.namespace.nowMs());
}
