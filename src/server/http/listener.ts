import {
  createServer as createPlainServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { loadLazily } from "../../core/time/load-lazily.js";
import { afterDelay } from "../../core/time/timers.js";
import { workQueue } from "../../core/time/work-queue.js";
import { bindServers, portOf } from "./bind.js";
import { BufferedRequest } from "./fast-path.js";
import {
  failureResponseOrFallback,
  serverResponseClass,
  statusOfParserError,
  toWireText,
} from "./raw-responses.js";
import type { TextResponse } from "./reply.js";

export type CreateServer = typeof createPlainServer;

export interface ListenerOptions {
  readonly port: number;
  readonly host: string;
  /** Handles a request; `incoming` has the socket, which a Request lacks. */
  readonly fetch: (request: Request, incoming: IncomingMessage) => Response | Promise<Response>;
  /** Handles an ordinary call without a Request; false leaves it to `fetch`. */
  readonly fastPath?: (incoming: BufferedRequest, outgoing: ServerResponse) => boolean;
  readonly onUnreadable: (status: number) => TextResponse;
  /** Answers plain HTTP on an HTTPS port; default: closes the connection. */
  readonly onPlainHttp?: () => TextResponse;
  /** Answers a request whose `fetch` failed or whose response cannot be sent. */
  readonly onFailure: (error: unknown) => TextResponse;
  /** Loads the modules that only some requests need. */
  readonly loadRest?: () => Promise<unknown>;
  /** Answers GET /health during loading; false leaves it to `fetch`. */
  readonly onEarlyHealth?: (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;
  /**
   * True in the sandbox's own process. Lighter classes then replace the global Request and Response. The port opens
   * before the modules load.
   *
   * False in a user's process. The globals then stay. The modules load before the port opens, because a test suite
   * could end during a later load.
   */
  readonly ownsProcess: boolean;
  /** Creates an HTTPS server; default: HTTP. */
  readonly secureServer?: CreateServer | undefined;
}

export interface ListeningServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Delay between opening the port and loading modules, so that loading does not delay the first response. */
const LOAD_DELAY_MS = 100;

/** Longer than clients keep idle connections: a client on a busy machine sends no call on a closed connection. */
const KEEP_ALIVE_MS = 75_000;

/** Opens the port; rejects with a UserError when it is taken or not permitted. */
export async function listen(options: ListenerOptions): Promise<ListeningServer> {
  let listener = options.ownsProcess ? undefined : await requestListener(options);
  let loading: Promise<RequestListener> | undefined;
  const load = (): Promise<RequestListener> =>
    (loading ??= requestListener(options).then((loaded) => (listener = loaded)));
  const http = {
    IncomingMessage: BufferedRequest,
    ServerResponse: serverResponseClass(options.onFailure),
    requireHostHeader: false,
    // Joins repeated headers as a Request does; Node drops some by default.
    joinDuplicateHeaders: true,
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  const createServer = options.secureServer ?? createPlainServer;
  const serveRequest = (incoming: BufferedRequest, outgoing: ServerResponse, isPipelined: boolean) => {
    workQueue.noteCall();
    // GET /health does not wait for the router, because building the router would delay the first response.
    const isEarly = listener === undefined && incoming.url === "/health" && incoming.method === "GET";
    if (isEarly && options.onEarlyHealth?.(incoming, outgoing)) return;
    if (!isPipelined && options.fastPath?.(incoming, outgoing)) return;
    if (listener !== undefined) return listener(incoming, outgoing);
    void load().then((loaded) => loaded(incoming, outgoing));
  };
  const pipelines = new Pipelines(serveRequest);
  const refuseRequest = (status: number) => (_incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { headers, body } = options.onUnreadable(status);
    outgoing.shouldKeepAlive = false;
    outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
  };
  const refuseVersion = refuseRequest(505);
  const makeServer = (): Server => {
    const server = createServer(http, (incoming, outgoing) => {
      if (incoming.httpVersionMajor === 1) pipelines.serve(incoming, outgoing);
      else refuseVersion(incoming, outgoing);
    });
    server.on("checkExpectation", refuseRequest(417));
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
      const plain = plainHttp(error, socket);
      if (plain !== undefined && options.onPlainHttp !== undefined) {
        plain.write(toWireText(options.onPlainHttp()));
        return plain.destroySoon();
      }
      // The client has not completed the TLS handshake and could not read a response.
      if (isBeforeHandshake(socket)) return socket.destroy();
      const refuse = (): void => {
        // A started response must not be mixed with another response.
        const { _httpMessage: started } = socket as { _httpMessage?: ServerResponse | null };
        if (error.code !== "ECONNRESET" && socket.writable && !started?.headersSent)
          socket.write(toWireText(options.onUnreadable(statusOfParserError(error.code))));
        socket.destroySoon();
      };
      // Requests that were complete before the malformed bytes came are answered first.
      const last = pipelines.pending(socket);
      if (last?.req.complete && error.code !== "ECONNRESET") last.once("close", refuse);
      else refuse();
    });
    return server;
  };
  const servers = await bindServers(makeServer, options.port, options.host);
  if (listener === undefined) afterDelay(LOAD_DELAY_MS, () => void load());
  return {
    port: portOf(servers[0]!),
    close: async () => {
      await Promise.all(
        servers.map(
          (server) =>
            new Promise<void>((done) => {
              server.close(() => done());
              server.closeAllConnections();
            }),
        ),
      );
    },
  };
}

/** Maximum number of pipelined requests waiting on a connection. A connection that exceeds the maximum is closed. */
const PIPELINED_MAX = 1_000;

/** Serves pipelined requests in order: each waits for the previous response (RFC 9112, section 9.3.2). */
class Pipelines {
  readonly #serve: (incoming: BufferedRequest, outgoing: ServerResponse, isPipelined: boolean) => void;
  readonly #last = new WeakMap<Socket, ServerResponse>();
  readonly #waiting = new WeakMap<Socket, number>();

  constructor(serve: (incoming: BufferedRequest, outgoing: ServerResponse, isPipelined: boolean) => void) {
    this.#serve = serve;
  }

  /** The last response of the connection, if it has not been sent yet. */
  pending(socket: Socket): ServerResponse | undefined {
    const last = this.#last.get(socket);
    return last === undefined || last.writableFinished || last.closed ? undefined : last;
  }

  serve(incoming: BufferedRequest, outgoing: ServerResponse): void {
    const { socket } = incoming;
    const before = this.pending(socket);
    this.#last.set(socket, outgoing);
    if (before === undefined) {
      this.#serve(incoming, outgoing, false);
      return;
    }
    const waiting = this.#waiting.get(socket) ?? 0;
    if (waiting === PIPELINED_MAX) socket.destroy();
    this.#waiting.set(socket, waiting + 1);
    before.once("close", () => {
      this.#waiting.set(socket, this.#waiting.get(socket)! - 1);
      if (!socket.destroyed) this.#serve(incoming, outgoing, true);
    });
  }
}

/** OpenSSL's errors for plain HTTP. Before Node 24, DELETE, PATCH and OPTIONS cause ERR_SSL_WRONG_VERSION_NUMBER. */
const PLAIN_HTTP = new Set([
  "ERR_SSL_HTTP_REQUEST",
  "ERR_SSL_HTTPS_PROXY_REQUEST",
  "ERR_SSL_WRONG_VERSION_NUMBER",
]);

/** The TCP connection below a TLS connection on which the client sent plain HTTP. */
function plainHttp(
  { code }: NodeJS.ErrnoException,
  socket: Socket & { _parent?: Socket },
): Socket | undefined {
  const below = code !== undefined && PLAIN_HTTP.has(code) ? socket._parent : undefined;
  return below?.writable ? below : undefined;
}

function isBeforeHandshake(socket: Socket & Partial<Pick<TLSSocket, "getProtocol">>): boolean {
  return socket.getProtocol !== undefined && !socket.getProtocol();
}

/** Loads the adapter from Node to Hono, the slowest part of a start. Requests that arrive meanwhile wait. */
async function requestListener(options: ListenerOptions): Promise<RequestListener> {
  const { fetch, loadRest, onUnreadable, onFailure, ownsProcess } = options;
  const { getRequestListener, RequestError } = await loadLazily(() => import("@hono/node-server"));
  await loadRest?.();
  return getRequestListener(
    (request, env) => fetch(request, (env as { incoming: IncomingMessage }).incoming),
    {
      overrideGlobalObjects: ownsProcess,
      errorHandler: (error) => {
        const { status, headers, body } =
          error instanceof RequestError ? onUnreadable(400) : failureResponseOrFallback(onFailure, error);
        return new Response(body, { status, headers });
      },
    },
  ) as RequestListener;
}
