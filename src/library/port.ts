import { getPath } from "hono/utils/url";
import type { Namespaces } from "../core/namespace/namespaces.js";
import { refuse } from "../core/schema/refusals.js";
import { loadLazily } from "../core/time/load-lazily.js";
import {
  ControlAccess,
  controlAccessMode,
  HostGuard,
  hostName,
  hostRefusedResponse,
  isWildcardAddress,
  normalizeAddress,
} from "../server/http/access.js";
import { type Apps, healthReply } from "../server/http/app.js";
import { isDropped, parseBearerKey } from "../server/http/call.js";
import { tryFastPath } from "../server/http/fast-path.js";
import { type ListenerOptions, type ListeningServer, listen } from "../server/http/listener.js";
import { createErrorResponders } from "../server/http/raw-responses.js";
import { errorReply, serializeReply, toResponse } from "../server/http/reply.js";
import type { UnresolvedOptions } from "./options.js";

export type ResolvedOpenOptions = UnresolvedOptions & { readonly onError: (error: unknown) => void };

export interface PortContext {
  readonly apps: Apps;
  readonly options: ResolvedOpenOptions;
  readonly namespaces: Namespaces;
}

export async function openPort(port: number, host: string, served: PortContext): Promise<ListeningServer> {
  const { tls_cert, tls_key } = served.options;
  if (tls_cert === undefined) return open(port, host, served);
  const { prepareTls } = await loadLazily(() => import("../server/http/tls.js"));
  return open(port, host, served, prepareTls(tls_cert, tls_key!));
}

/** Opens a port that checks the host of each request and, beyond loopback, the control token. */
function open(
  port: number,
  host: string,
  served: PortContext,
  secureServer?: ListenerOptions["secureServer"],
): Promise<ListeningServer> {
  const { apps, options, namespaces } = served;
  const { app, fastPath } = apps;
  const nowMs = () => namespaces.nowMs();
  const guard = new HostGuard(namesOf(host, options));
  const access = new ControlAccess(options.control_token, options.public_url);
  const needsToken = controlAccessMode(host, options.control_token) !== "open";
  return listen({
    port,
    host,
    secureServer,
    ownsProcess: options.ownsProcess ?? false,
    loadRest: async () => apps.control(),
    fetch: (request, incoming) => {
      // The host of an absolute request line overrides the Host header.
      const requestHost = incoming.url?.startsWith("/") ? incoming.headers.host : new URL(request.url).host;
      if (!guard.allows(requestHost)) return hostRefusedResponse(requestHost, nowMs());
      if (
        needsToken &&
        getPath(request).startsWith("/_sandbox") &&
        !access.allows(incoming.headers["sandbox-control-token"], incoming.headers.cookie)
      )
        return access.signIn(request.url, nowMs()) ?? controlRefused(access, nowMs());
      const cutIfDropped = (response: Response): Response => {
        if (!isDropped(response)) return response;
        incoming.socket.destroy();
        return new Response(null, { headers: { [ALREADY_SENT_HEADER]: "true" } });
      };
      const response = app.fetch(request);
      return response instanceof Promise ? response.then(cutIfDropped) : cutIfDropped(response);
    },
    fastPath: (incoming, outgoing) =>
      guard.allows(incoming.headers.host) &&
      (namespaces.ownership === undefined ||
        namespaces.isRunByThisProcess(
          incoming.headers["sandbox-namespace"],
          parseBearerKey(incoming.headers.authorization),
        )) &&
      tryFastPath(fastPath, incoming, outgoing),
    onEarlyHealth: (incoming, outgoing) => {
      if (!guard.allows(incoming.headers.host)) return false;
      const { status, headers, body } = serializeReply(healthReply(namespaces), nowMs());
      outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
      return true;
    },
    ...createErrorResponders(nowMs, options.onError, options.error_codes),
  });
}

export function sandboxUrl(host: string, port: number, options: UnresolvedOptions): string {
  const name = isWildcardAddress(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `${options.tls_cert === undefined ? "http" : "https"}://${name}:${port}`;
}

/** The server's host names besides those of this machine, without ports. */
function namesOf(
  host: string,
  { public_url, advertise_url, allowed_host = [] }: UnresolvedOptions,
): string[] {
  const name = normalizeAddress(host);
  const all = [
    ...allowed_host,
    ...[public_url, advertise_url].flatMap((url) => (url === undefined ? [] : [new URL(url).host])),
    ...(isWildcardAddress(name) ? [] : [name]),
  ];
  return all.map(hostName);
}

function controlRefused(access: ControlAccess, nowMs: number): Response {
  const message = access.isClosed
    ? "The control API is closed: this server listens beyond loopback; start it with --control-token"
    : "The control API needs the header Sandbox-Control-Token";
  return toResponse(errorReply(refuse("FORBIDDEN", message)), nowMs);
}

/** Makes the Hono adapter send nothing. */
const ALREADY_SENT_HEADER = "x-hono-already-sent";
