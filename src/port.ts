import { getPath } from "hono/utils/url";
import { type createApp, healthReply } from "./http/app.js";
import { ControlAccess, controlDoor } from "./http/control-access.js";
import { isDropped } from "./http/dropped.js";
import { HostGuard, hostRefused, isEverywhere, plainAddress } from "./http/hosts.js";
import { type Listening, listen } from "./http/listener.js";
import { errorReply, replyHeaders, toResponse } from "./http/reply.js";
import { unanswered } from "./http/unanswered.js";
import type { OpenOptions } from "./options.js";
import { refuse } from "./schema/errors.js";

/** The options of a sandbox that is open: somebody hears of errors. */
export type OpenedOptions = OpenOptions & { readonly onError: (error: unknown) => void };

/** What answers behind a port. */
export interface Served {
  readonly app: ReturnType<typeof createApp>;
  readonly options: OpenedOptions;
  readonly version: string;
  nowMs(): number;
}

/** Opens a port. A request goes by the host it is for and, for the control API beyond loopback, by its token. */
export function openPort(port: number, host: string, served: Served): Promise<Listening> {
  const { app, options, version, nowMs } = served;
  const guard = hostGuard(host, options);
  const access = new ControlAccess(options.control_token);
  const needsToken = controlDoor(host, options.control_token) !== "open";
  return listen({
    port,
    host,
    ownsProcess: options.ownsProcess ?? false,
    fetch: (request, incoming) => {
      // A request line with a whole URL names the host there, and the Host header counts for nothing.
      const asked = incoming.url?.startsWith("/") ? incoming.headers.host : new URL(request.url).host;
      if (!guard.allows(asked)) return hostRefused(asked, nowMs());
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
    onEarlyHealth: (incoming, outgoing) => {
      if (!guard.allows(incoming.headers.host)) return false;
      const { status, json } = healthReply(version);
      outgoing.writeHead(status, { ...replyHeaders(nowMs()), "content-length": Buffer.byteLength(json) });
      outgoing.end(json);
      return true;
    },
    ...unanswered({ nowMs, errorCodes: options.error_codes, onError: options.onError }),
  });
}

/** The URL a sandbox is reached at that listens there. */
export function urlOf(host: string, port: number): string {
  const name = isEverywhere(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

function hostGuard(host: string, { public_url, allowed_host = [] }: OpenOptions): HostGuard {
  const name = plainAddress(host);
  return new HostGuard([
    ...allowed_host,
    ...(public_url === undefined ? [] : [new URL(public_url).host]),
    ...(isEverywhere(name) ? [] : [name]),
  ]);
}

function controlRefused(access: ControlAccess, nowMs: number): Response {
  const message = access.isClosed
    ? "The control API is closed: this server listens beyond loopback; start it with --control-token"
    : "The control API needs the header Sandbox-Control-Token";
  return toResponse(errorReply(refuse("FORBIDDEN", message)), nowMs);
}

/** Tells the adapter that there is nothing left to send. */
const ALREADY_SENT_HEADER = "x-hono-already-sent";
