import type { MiddlewareHandler } from "hono";
import { proxy } from "hono/proxy";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import { refuseInvalid, STORAGE_AWAY } from "../../core/schema/refusals.js";
import type { NamespaceLocation, NamespaceOwner } from "../../core/store/storage.js";
import { repeatEvery } from "../../core/time/timers.js";
import { createAbortController } from "../../core/time/wall-clock.js";
import { isCrossOrigin } from "./access.js";
import { type BodyBytes, OVERSIZED_HEADER, readBytes } from "./body.js";
import { droppedResponse, parseBearerKey } from "./call.js";
import { errorReply, toResponse } from "./reply.js";
import { isControl } from "./routes.js";

/** Header with the number of processes that have forwarded the call. The maximum ends a loop between processes. */
const HOPS_HEADER = "sandbox-hops";
const HOPS_MAX = 3;
const INVALID_HOPS = refuseInvalid({ "Sandbox-Hops": "must be a digit from 0 to 3" }, "Invalid header");

/** Headers that belong to one connection, and two that `fetch` refuses or sets. */
const CONNECTION_HEADERS = [
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "upgrade"],
  ...["transfer-encoding", "expect", "content-length"],
];

/** Handles calls of namespaces that this process runs or can take over. Forwards all other calls. */
export const serveOrForward =
  (namespaces: Namespaces, maxBodyBytesAt: (path: string) => Promise<number>): MiddlewareHandler =>
  async (c, next) => {
    const { raw: request, path } = c.req;
    const location = await locate(request, path, namespaces);
    // `fetch` cannot send TRACE, which every process refuses alike.
    if (typeof location === "object" && request.method !== "TRACE") {
      const read = async (): Promise<BodyBytes | undefined> =>
        needsBody(request, path, namespaces) ? readBytes(request, await maxBodyBytesAt(path)) : undefined;
      return forward(request, read, location, namespaces);
    }
    await next();
    if (namespaces.ownership!.isStorageUnreachable) c.res.headers.set("sandbox-storage", "away");
  };

/** Paths that belong to the server and not to a namespace. */
const OF_SERVER = /^\/($|health$|docs|_sandbox\/(namespaces$|docs|dashboard\.(css|js)$))/;
const NAMED_IN_PATH = /^\/_sandbox\/(?:namespaces|dashboard)\/([^/]+)/;
const CHECKOUT = /^\/checkout\/([^/]+)/;

/** @param path the decoded path */
async function locate(
  { url, headers }: Request,
  path: string,
  namespaces: Namespaces,
): Promise<NamespaceLocation> {
  if (OF_SERVER.test(path)) return "here";
  const checkout = CHECKOUT.exec(path)?.[1];
  if (checkout !== undefined) return headers.has(HOPS_HEADER) ? "here" : locateCheckout(checkout, namespaces);
  const inPath = NAMED_IN_PATH.exec(path)?.[1];
  const named = inPath ?? headers.get("sandbox-namespace") ?? new URL(url).searchParams.get("namespace");
  return namespaces.locate(named, parseBearerKey(headers.get("authorization")));
}

/** Asks the other processes for a checkout, because its link names no namespace. */
async function locateCheckout(checkoutId: string, namespaces: Namespaces): Promise<NamespaceLocation> {
  if (namespaces.findCheckout(checkoutId) !== undefined) return "here";
  const places = new Map((await namespaces.ownership!.listOwners()).map((place) => [place.url, place]));
  const answers = [...places.values()].map(async (place) => {
    const url = new URL(`/checkout/${encodeURIComponent(checkoutId)}/status`, place.url!);
    const { signal, stop } = watchOwner(place, namespaces);
    const { ok } = await fetch(url, { headers: { [HOPS_HEADER]: "1" }, signal }).finally(stop);
    if (!ok) throw new Error("no such checkout");
    return place;
  });
  return Promise.any(answers).catch(() => "here" as const);
}

/** Returns false if the owner refuses the call before it reads a body: without an API key, or from another site. */
function needsBody(request: Request, path: string, { options }: Namespaces): boolean {
  if (request.method === "GET" || request.method === "HEAD") return false;
  if (isControl(path)) return !isCrossOrigin(request, options.base.publicUrl);
  return CHECKOUT.test(path) || parseBearerKey(request.headers.get("authorization")) !== null;
}

const CHECKS_PER_LEASE = 3;

/**
 * Watches the process that runs a namespace. The signal aborts when the namespace has moved, because a frozen process
 * answers nothing and keeps its connections.
 */
function watchOwner({ name, url }: NamespaceOwner, namespaces: Namespaces) {
  const gone = createAbortController();
  const check = async (): Promise<void> => {
    const now = await namespaces.locate(name, null);
    if (now === "here" || (now !== "nowhere" && now.url !== url)) gone.abort();
  };
  // While the database is away, no process can take the namespace over.
  const stop = repeatEvery(
    namespaces.ownership!.leaseMs / CHECKS_PER_LEASE,
    () => void check().catch(() => {}),
  );
  return { signal: gone.signal, stop };
}

/** @param owner its URL is null if that process has published none, or if no process runs the namespace */
async function forward(
  request: Request,
  readCallBody: () => Promise<BodyBytes | undefined>,
  owner: NamespaceOwner,
  namespaces: Namespaces,
): Promise<Response> {
  const { headers } = request;
  const { url: base } = owner;
  const hops = headers.get(HOPS_HEADER) ?? "0";
  const refuse = (why: string) =>
    toResponse(errorReply({ ...STORAGE_AWAY, message: why }, { "retry-after": "1" }), namespaces.nowMs());
  if (base === null)
    return refuse("The process that runs the namespace has no --advertise-url, or the namespace is moving");
  if (!/^[0-3]$/.test(hops)) return toResponse(errorReply(INVALID_HOPS), namespaces.nowMs());
  if (Number(hops) === HOPS_MAX) return refuse("The namespace is moving to another process; repeat the call");
  const read = await readCallBody();
  if (read !== undefined && "torn" in read) return droppedResponse();
  const body = read !== undefined && "bytes" in read && read.bytes.length > 0 ? read.bytes : null;
  const { pathname, search } = new URL(request.url);
  keepCredentialsOfCall(headers, pathname);
  headers.set(HOPS_HEADER, String(Number(hops) + 1));
  if (read !== undefined && "tooLarge" in read) headers.set(OVERSIZED_HEADER, "true");
  for (const name of CONNECTION_HEADERS) headers.delete(name);
  const watch = watchOwner(owner, namespaces);
  try {
    // Joined to the base as a reference, a path that begins with `//host` would name another host.
    const response = await proxy(new URL(base).origin + pathname + search, {
      // Without `raw`, whose body the helper would begin to read.
      method: request.method,
      headers,
      signal: AbortSignal.any([request.signal, watch.signal]),
      // Sends head and body in one write: 1.2 ms of processor time a call instead of 2.6 ms.
      customFetch: ({ url, method, headers, signal }) =>
        fetch(url, { method, headers, body, signal, redirect: "manual" }),
    });
    return afterBody(response, watch.stop);
  } catch (error) {
    watch.stop();
    if (watch.signal.aborted && ["GET", "HEAD"].includes(request.method))
      return refuse("The process that ran the namespace did not answer; repeat the call");
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    if (code === "ECONNREFUSED" || code === "EHOSTUNREACH" || code === "UND_ERR_CONNECT_TIMEOUT")
      return refuse("The process that runs the namespace does not answer; another one takes over soon");
    // The call may have been executed, so no status is right; the client's connection is cut instead.
    return droppedResponse();
  }
}

/** Bodies up to this length arrive with their head. */
const SHORT_BODY_BYTES = 64 * 1024;

/** Calls back when the body of a relayed response has ended or failed, or when the client has left. */
function afterBody(response: Response, onEnd: () => void): Response {
  const { body, headers } = response;
  const length = headers.get("content-length");
  if (body === null || (length !== null && Number(length) <= SHORT_BODY_BYTES)) {
    onEnd();
    return response;
  }
  const reader = body.getReader();
  const relayed = new ReadableStream({
    async pull(stream) {
      try {
        const { done, value } = await reader.read();
        if (!done) return stream.enqueue(value);
        stream.close();
      } catch (error) {
        stream.error(error);
      }
      onEnd();
    },
    cancel(reason) {
      onEnd();
      return reader.cancel(reason);
    },
  });
  return new Response(relayed, response);
}

/**
 * Removes credentials that the owner does not check for this path. The owner checks the API key of every call, and the
 * control token, which all processes share, below /_sandbox only. Other cookies belong to other servers of the host name.
 */
function keepCredentialsOfCall(headers: Headers, pathname: string): void {
  const cookies = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  const own = isControl(pathname) ? cookies.filter((pair) => pair.startsWith("sandbox_")) : [];
  if (own.length > 0) headers.set("cookie", own.join("; "));
  else headers.delete("cookie");
  if (!isControl(pathname)) headers.delete("sandbox-control-token");
}
