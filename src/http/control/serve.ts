import type { Context } from "hono";
import type { Route } from "../../domain/known-names.js";
import type { Namespaces } from "../../namespace/namespaces.js";
import { isRefusal, type Refusal, refuse } from "../../schema/errors.js";
import { bearerKey } from "../authenticate.js";
import { MAX_BODY_BYTES, parseObject, type RawBody, readBody, tooLarge, tornBody } from "../body.js";
import { isForeign, OTHER_SITE } from "../origin.js";
import { errorReply, type Reply, toResponse } from "../reply.js";
import { noNamespace } from "../service/admit.js";
import type { ControlCall, ControlOperation } from "./operation.js";
import { vocabularyIn } from "./vocabulary.js";

/** Answers a control call: its namespace, its body (an absent one is an empty object), its work. */
export function serveControl(
  namespaces: Namespaces,
  operation: ControlOperation,
  { fetch, routes }: { readonly fetch: ControlCall["fetch"]; readonly routes: readonly Route[] },
): (c: Context) => Promise<Response> {
  return async (c) => {
    const { headers } = c.req.raw;
    const name = headers.get("sandbox-namespace");
    const key = bearerKey(headers.get("authorization"));
    const namespace = namespaces.find(name, key);
    if (namespace === undefined) return toResponse(noNamespace(namespaces, name, key), namespaces.nowMs());
    const busy = namespace.calm();
    if (busy !== undefined) await busy;
    const answer = async (): Promise<Reply | Refusal> => {
      if (operation.method !== "GET" && isForeign(c.req.raw, namespace.publicUrl))
        return refuse("FORBIDDEN", OTHER_SITE);
      const body = operation.method === "GET" ? {} : await readObject(c.req.raw, operation);
      if (isRefusal(body)) return body;
      return operation.handle({
        namespaces,
        namespace,
        url: c.req.url,
        mode: key?.startsWith("sk_live_") ? "live" : "test",
        run: headers.get("sandbox-run"),
        fetch,
        vocabulary: vocabularyIn(namespace, routes),
        query: undefined,
        body,
        signal: () => c.req.raw.signal,
        param: (parameter) => c.req.param(parameter) ?? "",
      });
    };
    const result = await answer();
    const keeping = namespace.whenKept();
    if (keeping !== undefined) await keeping;
    return toResponse(isRefusal(result) ? errorReply(result) : result, namespace.nowMs());
  };
}

async function readObject(
  request: Request,
  { maxBodyBytes: maxBytes = MAX_BODY_BYTES, maxDepth }: ControlOperation,
): Promise<Record<string, unknown> | Refusal> {
  const raw: RawBody = await readBody(request, maxBytes);
  if ("tooLarge" in raw) return tooLarge(maxBytes);
  if ("torn" in raw) return tornBody();
  if (raw.text.trim() === "") return {};
  const parsed = parseObject(raw, maxDepth);
  return isRefusal(parsed) ? parsed : parsed.object;
}
