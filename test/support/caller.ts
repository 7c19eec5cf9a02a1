import { expect } from "vitest";
import type { Sandbox } from "../../src/library/index.js";
import { IS_REPAIRED } from "./documented.js";

export interface ErrorBody {
  code: string;
  message: string;
  details?: Record<string, string>;
}

/** A response with its parsed body. `error` checks the documented format. */
export class Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;

  constructor(status: number, headers: Headers, text: string) {
    this.status = status;
    this.headers = headers;
    this.text = text;
  }

  get body(): Body {
    return JSON.parse(this.text) as Body;
  }

  /** The body for tests that read arbitrary JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests state what they expect
  get json(): any {
    return JSON.parse(this.text);
  }

  get error(): ErrorBody {
    return errorOf(this.text);
  }

  get details(): Record<string, string> {
    return this.error.details ?? {};
  }
}

/** Returns the error of a body, which must have the documented format. */
export function errorOf(text: string): ErrorBody {
  const { error, ...beside } = JSON.parse(text) as { error: ErrorBody };
  const { code, message, details, ...rest } = error;
  const isText = (value: unknown) => typeof value === "string" && value !== "";
  const said = Object.values(details ?? {});
  const isRight =
    [beside, rest].every((one) => Object.keys(one).length === 0) &&
    /^[A-Z][A-Z_]*$/.test(code) &&
    isText(message) &&
    (!("details" in error) || said.length > 0) &&
    said.every(isText);
  if (!isRight) throw new Error(`not the shape of an error: ${text}`);
  return error;
}

/** Checks the status, code and detail fields of an error. */
export function expectError(answer: Answer<unknown>, status: number, code: string, fields?: string[]): void {
  expect({ status: answer.status, code: answer.error.code }).toEqual({ status, code });
  if (fields !== undefined) expect(Object.keys(answer.details).sort()).toEqual([...fields].sort());
}

export function expectInvalid(answer: Answer<unknown>, ...fields: string[]): void {
  expectError(answer, 400, "VALIDATION_ERROR", fields);
}

/** Returns the body of a 200; other responses fail the test. */
export function okBody<Body>(answer: Answer<Body>): Body {
  const isOk = answer.status === 200 || (IS_REPAIRED && answer.status === 201);
  if (!isOk) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.body;
}

export type Headerset = Readonly<Record<string, string>>;
export type Transport = (path: string, init: RequestInit) => Promise<Response>;

export function inProcess(sandbox: Pick<Sandbox, "fetch">): Transport {
  return (path, init) => sandbox.fetch(new Request(`http://sandbox${path}`, init));
}

export function overPort(url: string): Transport {
  return (path, init) => fetch(url + path, init);
}

/** Throws when a response of the control API does not match its document. */
async function checkControlAnswer(method: string, path: string, answer: Answer<unknown>): Promise<void> {
  const target = new URL(`http://sandbox${path}`).pathname;
  if (!/^\/(_sandbox|health)\b/.test(target)) return;
  // Other test files need not load the document.
  const { control } = await import("./openapi-control.js");
  if (control.find(method, target) === undefined) return;
  const faults = control.faults(method, target, answer.status, answer.headers, answer.text);
  if (faults.length > 0)
    throw new Error(`not as documented: ${faults.join("\n")}\n${answer.text.slice(0, 1_000)}`);
}

/** Calls a server in process or over HTTP. */
export class Caller {
  readonly transport: Transport;
  readonly key: string | null;

  constructor(transport: Transport, key: string | null) {
    this.transport = transport;
    this.key = key;
  }

  async send<Body>(
    method: string,
    path: string,
    body?: BodyInit | null,
    headers: Headerset = {},
  ): Promise<Answer<Body>> {
    const all = new Headers(headers);
    if (this.key !== null && !all.has("authorization")) all.set("authorization", `Bearer ${this.key}`);
    const init: RequestInit = { method, headers: all };
    if (body !== undefined && body !== null) init.body = body;
    const response = await this.transport(path, init);
    const answer = new Answer<Body>(response.status, response.headers, await response.text());
    await checkControlAnswer(method, path, answer);
    return answer;
  }

  /** Makes a call such as `POST /path`; a string body is sent unchanged. */
  ask<Body>(line: string, body?: unknown, headers: Headerset = {}): Promise<Answer<Body>> {
    const space = line.indexOf(" ");
    const [method, path] = [line.slice(0, space), line.slice(space + 1)];
    if (body === undefined) return this.send(method, path, null, headers);
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return this.send(method, path, text, { "content-type": "application/json", ...headers });
  }

  get<Body>(path: string, headers?: Headerset): Promise<Answer<Body>> {
    return this.send("GET", path, null, headers);
  }

  post<Body>(path: string, body: unknown, headers?: Headerset): Promise<Answer<Body>> {
    return this.ask(`POST ${path}`, body, headers);
  }

  put<Body>(path: string, body: unknown, headers?: Headerset): Promise<Answer<Body>> {
    return this.ask(`PUT ${path}`, body, headers);
  }

  advance(body: unknown, query = ""): Promise<Answer<AdvanceReport>> {
    return this.post(`/_sandbox/clock/advance${query}`, body);
  }

  reset(body: object = {}, query = ""): Promise<Answer<unknown>> {
    return this.post(`/_sandbox/reset${query}`, body);
  }

  setClock(body: object, query = ""): Promise<Answer<unknown>> {
    return this.put(`/_sandbox/clock${query}`, body);
  }

  clock(): Promise<Answer<unknown>> {
    return this.get("/_sandbox/clock");
  }
}

export interface AdvanceReport {
  from: string;
  to: string;
  fired: { at: string; task: string; ref: string }[];
  fired_total: number;
}
