import http from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { pathToFileURL } from "node:url";
import type { Sandbox } from "../../../src/library/index.js";
import { atEnd } from "../../support/lifetime.js";
import { ROOT } from "../../support/process-command.js";

const BASE = "http://payments.test";

interface AppResponse {
  readonly status: number;
  readonly text: string;
}

/** Calls an app that runs in this process; rejects, with the status, if the app responds with an error. */
export interface IncidentApp {
  get(path: string): Promise<Readonly<Record<string, unknown>>>;
  post(path: string, body?: object): Promise<Readonly<Record<string, unknown>>>;
}

/** Loads an app that would listen at a port into this process, and has the webhooks of the sandbox sent to it. */
export async function loadIncident(
  incident: string,
  program: string,
  sandbox: Sandbox,
): Promise<IncidentApp> {
  const own = globalThis.fetch;
  globalThis.fetch = (async (input: string, init?: RequestInit) =>
    String(input).startsWith(BASE)
      ? sandbox.fetch(String(input).slice(BASE.length), init)
      : own(input, init)) as typeof fetch;
  atEnd(() => {
    globalThis.fetch = own;
  });
  const handler = await handlerOf(join(ROOT, "examples/incidents", incident, program), {
    PAYMENTS_BASE_URL: BASE,
    PAYMENTS_API_KEY: sandbox.apiKey,
    PAYMENTS_WEBHOOK_SECRET: sandbox.webhookSecret,
  });
  await sandbox.onWebhook(async (request) => {
    const headers = Object.fromEntries(request.headers);
    const { status, text } = await send(handler, "POST", "/webhooks", headers, await request.text());
    return new Response(status === 204 ? null : text, { status });
  });
  const call = async (method: string, path: string, body?: object) => {
    const headers = { "content-type": "application/json" };
    const { status, text } = await send(handler, method, path, headers, body && JSON.stringify(body));
    if (status >= 400) throw Object.assign(new Error(`${method} ${path}: ${status} ${text}`), { status });
    return text === "" ? {} : parsed(text);
  };
  return {
    get: (path) => call("GET", path),
    post: (path, body = {}) => call("POST", path, body),
  };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}

/** Runs a program and catches the handler of the server that it makes. */
async function handlerOf(file: string, env: Record<string, string>): Promise<http.RequestListener> {
  const before = { ...process.env };
  const { createServer } = http;
  let handler: http.RequestListener | undefined;
  const server = { on: () => server, once: () => server, listen: () => server, address: () => ({ port: 0 }) };
  http.createServer = ((...args: unknown[]) => {
    handler = args.at(-1) as http.RequestListener;
    return server;
  }) as unknown as typeof createServer;
  syncBuiltinESMExports();
  Object.assign(process.env, env);
  try {
    await import(/* @vite-ignore */ `${pathToFileURL(file)}?${++loaded}`);
  } finally {
    process.env = before;
    http.createServer = createServer;
    syncBuiltinESMExports();
  }
  if (handler === undefined) throw new Error(`${file} makes no server`);
  return handler;
}

let loaded = 0;

/** Sends a request over a socket that is none. */
function send(
  handler: http.RequestListener,
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
): Promise<AppResponse> {
  return new Promise((resolve) => {
    const socket = () => new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    const request = new http.IncomingMessage(socket() as never);
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    Object.assign(request, { method, url, httpVersion: "1.1", httpVersionMajor: 1, httpVersionMinor: 1 });
    request.headers = { host: "app.test", ...headers, ...length };
    request.rawHeaders = Object.entries(request.headers).flatMap(([name, value]) => [name, String(value)]);
    request.complete = true;
    if (body !== undefined) request.push(Buffer.from(body));
    request.push(null);
    const response = new http.ServerResponse(request);
    response.assignSocket(socket() as never);
    const chunks: Buffer[] = [];
    const keep = (chunk: unknown) => {
      if (typeof chunk === "string" || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string));
    };
    response.write = ((chunk: unknown) => {
      keep(chunk);
      return true;
    }) as never;
    response.end = ((chunk: unknown) => {
      keep(chunk);
      if (!response.headersSent) response.writeHead(response.statusCode);
      response.emit("finish");
      resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() });
      return response;
    }) as never;
    handler(request, response);
  });
}
