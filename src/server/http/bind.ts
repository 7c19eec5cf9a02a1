import type { Server } from "node:http";
import { callUrl } from "../../core/delivery/outgoing-http.js";
import { DEFAULT_PORT } from "../../core/schema/option-schemas.js";
import { systemErrorText } from "../../core/schema/system-error-text.js";
import { UserError } from "../../core/schema/user-error.js";
import { createAbortController, systemWallClock } from "../../core/time/wall-clock.js";
import { isWildcardAddress } from "./access.js";

const LOOPBACK_ADDRESSES = ["127.0.0.1", "::1"];

/** Tries to find a port that is free on both loopback addresses. */
const PORT_TRIES = 10;

/** Maximum wait for what has a port to say what it is. */
const HEALTH_MS = 1_000;

/**
 * Opens a port; `localhost` is opened on each loopback address that the machine has, since clients try either first.
 * Rejects with a UserError if the port is taken or not permitted.
 */
export async function bindServers(create: () => Server, port: number, host: string): Promise<Server[]> {
  const addresses = host.toLowerCase() === "localhost" ? LOOPBACK_ADDRESSES : [host];
  for (let tries = 1; ; tries++) {
    const servers: Server[] = [];
    const failures: BindError[] = [];
    for (const address of addresses) {
      const server = create();
      try {
        servers.push(await bind(server, servers[0] === undefined ? port : portOf(servers[0]), address));
      } catch (error) {
        failures.push(error as BindError);
      }
    }
    const failure = failures.find(({ code }) => servers.length === 0 || !isMissingAddress(code));
    if (failure === undefined) return servers;
    for (const server of servers) server.close();
    if (port !== 0 || failure.code !== "EADDRINUSE" || tries === PORT_TRIES)
      throw await bindError(failure, host);
  }
}

export function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

interface BindError extends NodeJS.ErrnoException {
  readonly address: string;
  readonly port: number;
}

function bind(server: Server, port: number, address: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(Object.assign(error, { address, port })));
    server.listen(port, address, () => resolve(server));
  });
}

function isMissingAddress(code: string | undefined): boolean {
  return code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT";
}

async function bindError(error: BindError, host: string): Promise<UserError> {
  const { code, address, port } = error;
  switch (code) {
    case "EADDRINUSE":
      return new UserError(`port ${port} on ${address} is in use by ${await portOwnerText(address, port)}`);
    case "EACCES":
      return new UserError(`port ${port} may not be used by this user; choose one above 1023 with --port`);
    case "EADDRNOTAVAIL":
    case "EAFNOSUPPORT":
    case "ENOTFOUND":
      return new UserError(`${host} is not an address of this machine; choose another with --host`);
    default:
      return new UserError(`cannot listen on ${host}:${port}: ${systemErrorText(error)}`);
  }
}

const OTHER_PORT = "choose another with --port, or --port 0 for any free one";

/** Names the program at the port, which its `/health` tells, and the way out. */
async function portOwnerText(address: string, port: number): Promise<string> {
  const sandbox = await readSandbox(isWildcardAddress(address) ? "127.0.0.1" : address, port);
  if (sandbox === undefined) return `another program; ${OTHER_PORT}`;
  const { version = "", pid, started_at } = sandbox;
  const startedAt = String(started_at).slice(0, 19).replace("T", " ");
  const details = pid === undefined ? "" : ` (process ${pid}, started ${startedAt} UTC)`;
  const reached = port === DEFAULT_PORT ? ", which commands without --url reach" : "";
  return `${`payments-sandbox ${version}`.trimEnd()}${details}${reached}; use that one, end it, or ${OTHER_PORT}`;
}

interface RunningSandbox {
  readonly version?: string;
  readonly pid?: number;
  readonly started_at?: string;
}

/** Returns undefined if no sandbox answers. One that serves HTTPS says only that it is one. */
async function readSandbox(address: string, port: number): Promise<RunningSandbox | undefined> {
  const controller = createAbortController();
  const cancel = systemWallClock.after(HEALTH_MS, () => controller.abort());
  try {
    const host = address.includes(":") ? `[${address}]` : address;
    const response = await callUrl(new URL(`http://${host}:${port}/health`), {
      method: "GET",
      headers: {},
      body: undefined,
      signal: controller.signal,
    });
    const text = await response.text();
    if (response.headers.get("sandbox-now") === undefined) return undefined;
    return response.ok ? (JSON.parse(text) as RunningSandbox) : {};
  } catch {
    // Another program may answer anything, or nothing.
    return undefined;
  } finally {
    cancel();
  }
}
