import { getPath } from "hono/utils/url";
import { type Apps, healthReply } from "./http/app.js";
import { ControlAccess, controlDoor } from "./http/control-access.js";
import { answerDirectly } from "./http/direct.js";
import { isDropped } from "./http/dropped.js";
import { HostGuard, hostName, hostRefused, isEverywhere, LOCAL_NAMES, plainAddress } from "./http/hosts.js";
import { type Listening, type ListenOptions, listen } from "./http/listener.js";
import { errorReply, replyHeaders, toResponse } from "./http/reply.js";
import type { Trust } from "./http/tls/trust.js";
import { unanswered } from "./http/unanswered.js";
import type { OpenOptions } from "./options.js";
import { refuse } from "./schema/errors.js";
import { lazily } from "./schema/lazily.js";

/** The options of a sandbox that is open: somebody hears of errors. */
export type OpenedOptions = OpenOptions & { readonly onError: (error: unknown) => void };

/** What answers behind a port. */
export interface Served {
  readonly apps: Apps;
  readonly options: OpenedOptions;
  readonly version: string;
  nowMs(): number;
}

/** An open port; over HTTPS, with what its certificate is to be trusted by. */
export interface OpenPort extends Listening {
  readonly trust?: Trust;
}

/** Whether that is served over HTTPS. */
function isSecure({ tls, tls_cert }: OpenOptions): boolean {
  return tls === true || tls_cert !== undefined;
}

/** Opens a port, and tells clients how to trust it. */
export async function openPort(port: number, host: string, served: Served): Promise<OpenPort> {
  const { options } = served;
  if (!isSecure(options)) return open(port, host, served);
  const { secure } = await lazily(() => import("./http/tls/secure.js"));
  const { createServer, publish } = await secure(options, [...LOCAL_NAMES, ...namesOf(host, options)]);
  const listening = await open(port, host, served, createServer);
  try {
    const { trust, end } = publish(listening.port);
    return { ...listening, trust, close: () => listening.close().finally(end) };
  } catch (error) {
    await listening.close();
    throw error;
  }
}

/** A request goes by the host it is for and, for the control API beyond loopback, by its token. */
function open(
  port: number,
  host: string,
  served: Served,
  secureServer?: ListenOptions["secureServer"],
): Promise<Listening> {
  const { apps, options, version, nowMs } = served;
  const { app, direct } = apps;
  const guard = new HostGuard(namesOf(host, options));
  const access = new ControlAccess(options.control_token);
  const needsToken = controlDoor(host, options.control_token) !== "open";
  return listen({
    port,
    host,
    secureServer,
    ownsProcess: options.ownsProcess ?? false,
    loadRest: async () => apps.control(),
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
    direct: (incoming, outgoing) =>
      guard.allows(incoming.headers.host) && answerDirectly(direct, incoming, outgoing),
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
export function urlOf(host: string, port: number, options: OpenOptions): string {
  const name = isEverywhere(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `${isSecure(options) ? "https" : "http"}://${name}:${port}`;
}

/** What it is called besides `localhost` and the like, without ports. */
function namesOf(host: string, { public_url, allowed_host = [] }: OpenOptions): string[] {
  const name = plainAddress(host);
  const all = [
    ...allowed_host,
    ...(public_url === undefined ? [] : [new URL(public_url).host]),
    ...(isEverywhere(name) ? [] : [name]),
  ];
  return all.map(hostName);
}

function controlRefused(access: ControlAccess, nowMs: number): Response {
  const message = access.isClosed
    ? "The control API is closed: this server listens beyond loopback; start it with --control-token"
    : "The control API needs the header Sandbox-Control-Token";
  return toResponse(errorReply(refuse("FORBIDDEN", message)), nowMs);
}

/** Tells the adapter that there is nothing left to send. */
const ALREADY_SENT_HEADER = "x-hono-already-sent";
