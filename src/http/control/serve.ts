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

/** What control calls are served with. */
export interface ControlWays {
  readonly fetch: ControlCall["fetch"];
  readonly routes: readonly Route[];
}

/** A control call, however it came. */
export interface Asked extends Pick<ControlCall, "url" | "signal" | "param"> {
  header(name: string): string | null;
  /** An absent one is an empty object. */
  body(
    publicUrl: string | undefined,
  ): Record<string, unknown> | Refusal | Promise<Record<string, unknown> | Refusal>;
}

/** An answer, and the time it was when it was given. */
export interface Told {
  readonly reply: Reply;
  readonly nowMs: number;
}

/** Answers a control call: its namespace, its body, its work. */
export async function replyTo(
  namespaces: Namespaces,
  operation: ControlOperation,
  { fetch, routes }: ControlWays,
  { url, signal, param, header, body: bodyOf }: Asked,
): Promise<Told> {
  const name = header("sandbox-namespace");
  const key = bearerKey(header("authorization"));
  const namespace = namespaces.find(name, key);
  if (namespace === undefined)
    return { reply: noNamespace(namespaces, name, key), nowMs: namespaces.nowMs() };
  const busy = namespace.calm();
  if (busy !== undefined) await busy;
  const answer = async (): Promise<Reply | Refusal> => {
    const body = operation.method === "GET" ? {} : await bodyOf(namespace.publicUrl);
    if (isRefusal(body)) return body;
    return operation.handle({
      namespaces,
      namespace,
      url,
      mode: key?.startsWith("sk_live_") ? "live" : "test",
      run: header("sandbox-run"),
      fetch,
      vocabulary: vocabularyIn(namespace, routes),
      query: undefined,
      body,
      signal,
      param,
    });
  };
  const result = await answer();
  const keeping = namespace.whenKept();
  if (keeping !== undefined) await keeping;
  return { reply: isRefusal(result) ? errorReply(result) : result, nowMs: namespace.nowMs() };
}

/** Answers a control call that came as a request. */
export function serveControl(
  namespaces: Namespaces,
  operation: ControlOperation,
  ways: ControlWays,
): (c: Context) => Promise<Response> {
  return async (c) => {
    const { raw } = c.req;
    const { reply, nowMs } = await replyTo(namespaces, operation, ways, {
      url: c.req.url,
      header: (name) => raw.headers.get(name),
      signal: () => raw.signal,
      param: (parameter) => c.req.param(parameter) ?? "",
      body: (publicUrl) =>
        isForeign(raw, publicUrl) ? refuse("FORBIDDEN", OTHER_SITE) : readObject(raw, operation),
    });
    return toResponse(reply, nowMs);
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
