import { proxy } from "hono/proxy";
import type { Namespaces } from "../../core/namespace/namespaces.js";
import { STORAGE_AWAY } from "../../core/schema/unavailable.js";
import type { Location } from "../../core/store/storage.js";
import { bearerKey, droppedResponse } from "./call.js";
import { errorReply, responseOf, type TextResponse, toResponse } from "./reply.js";

/** Number of processes that have passed the call on: it ends calls that two processes pass to each other. */
const HOPS_HEADER = "sandbox-hops";
const HOPS_MAX = 3;

/** Set on responses from memory while the database is away. */
const STORAGE_HEADER = "sandbox-storage";

export interface ForwardOptions {
  readonly namespaces: Namespaces;
  readonly serve: () => Response | Promise<Response>;
  readonly failureResponse: (error: unknown, path: string) => TextResponse;
}

/** Handles a call whose namespace this process runs or can take over; passes others on to the process that runs it. */
export async function serveOrForward(request: Request, options: ForwardOptions): Promise<Response> {
  const { namespaces, serve, failureResponse } = options;
  const url = new URL(request.url);
  let location: Location;
  try {
    location = await locate(url, request.headers, options);
  } catch (error) {
    return responseOf(failureResponse(error, url.pathname));
  }
  if (typeof location === "object") return forward(request, url, location.url, namespaces.nowMs());
  const response = await serve();
  if (namespaces.leases?.isAway) response.headers.set(STORAGE_HEADER, "away");
  return response;
}

/** Calls of the server and not of a namespace. */
const OF_SERVER = /^\/($|health$|docs|_sandbox\/(namespaces$|docs|dashboard\.(css|js)$))/;
const NAMED_IN_PATH = /^\/_sandbox\/(?:namespaces|dashboard)\/([^/]+)/;
const CHECKOUT = /^\/checkout\/([^/]+)/;

async function locate(url: URL, headers: Headers, options: ForwardOptions): Promise<Location> {
  const { namespaces } = options;
  const { pathname, searchParams } = url;
  if (OF_SERVER.test(pathname)) return "here";
  const checkout = CHECKOUT.exec(pathname)?.[1];
  if (checkout !== undefined) return locateCheckout(checkout, headers, options);
  const inPath = NAMED_IN_PATH.exec(pathname)?.[1];
  const named = inPath ?? headers.get("sandbox-namespace") ?? searchParams.get("namespace");
  return namespaces.locate(named, bearerKey(headers.get("authorization")));
}

/** The link of a checkout names no namespace: asks the other processes. */
async function locateCheckout(
  checkoutId: string,
  headers: Headers,
  { namespaces }: ForwardOptions,
): Promise<Location> {
  if (namespaces.findCheckout(checkoutId) !== undefined || headers.has(HOPS_HEADER)) return "here";
  const peers = (await namespaces.leases?.peers()) ?? [];
  const answers = peers.map(async (url) => {
    const { ok } = await fetch(new URL(`/checkout/${checkoutId}/status`, url), {
      headers: { [HOPS_HEADER]: "1" },
    });
    if (!ok) throw new Error("no such checkout");
    return { url };
  });
  return Promise.any(answers).catch(() => "here" as const);
}

/** @param base the other process's URL; null if it has not told one */
async function forward(request: Request, url: URL, base: string | null, nowMs: number): Promise<Response> {
  const hops = Number(request.headers.get(HOPS_HEADER) ?? 0) + 1;
  const refuse = (why: string) =>
    toResponse(errorReply({ ...STORAGE_AWAY, message: why }, { "retry-after": "1" }), nowMs);
  if (base === null)
    return refuse("The process that runs the namespace has no --advertise-url, so it cannot be called");
  if (hops > HOPS_MAX) return refuse("The namespace is moving to another process; repeat the call");
  try {
    return await proxy(new URL(url.pathname + url.search, base), {
      raw: request,
      headers: { ...Object.fromEntries(request.headers), [HOPS_HEADER]: String(hops) },
      redirect: "manual",
      signal: request.signal,
    });
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    if (code === "ECONNREFUSED" || code === "EHOSTUNREACH" || code === "UND_ERR_CONNECT_TIMEOUT")
      return refuse("The process that runs the namespace does not answer; another one takes over soon");
    // The call may have been carried out: the client loses its connection as it would there.
    return droppedResponse();
  }
}
