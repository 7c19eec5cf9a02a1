import type { Sandbox } from "../../src/library/sandbox.js";
import type { Random } from "./random.js";

// biome-ignore lint/suspicious/noExplicitAny: the auditor reads arbitrary JSON
export type Json = any;

export interface Answer {
  /** 0 when the connection closed without a response. */
  readonly status: number;
  readonly text: string;
  readonly json: Json;
  readonly now: string | null;
  readonly replayed: boolean;
}

/** Changes a response; undefined leaves it unchanged. */
export type Lie = (
  method: string,
  path: string,
  text: string,
  status: number,
) => { readonly status: number; readonly text: string } | undefined;

/** A fault that a call may meet; it occurs when `isHigh` is true. */
export type Hurdle = (send: () => Promise<Answer>, isHigh: boolean) => Promise<Answer>;

export interface ClientOptions {
  readonly lie?: Lie | undefined;
  readonly hurdle?: Hurdle;
  /** Decides when faults occur; without it none occur. */
  readonly luck?: Random;
  readonly namespace?: string;
  /** The calls, shared by all clients of a sandbox. */
  readonly trail?: string[];
}

/** Calls a sandbox and records the calls for failure reports. */
export class Client {
  readonly trail: string[];
  readonly #fetch: Sandbox["fetch"];
  readonly #options: ClientOptions;

  constructor(fetch: Sandbox["fetch"], options: ClientOptions = {}) {
    this.trail = options.trail ?? [];
    this.#fetch = fetch;
    this.#options = options;
  }

  /** Makes a call that changes state, and records it. */
  async act(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const extra = Object.keys(headers).length === 0 ? "" : ` ${JSON.stringify(headers)}`;
    const { hurdle, luck, namespace } = this.#options;
    const isHigh = luck?.chance(0.15) ?? false;
    const where = `${namespace === undefined ? "" : `[${namespace}] `}${isHigh ? "(full) " : ""}`;
    this.trail.push(
      `${where}${method} ${path}${body === undefined ? "" : ` ${JSON.stringify(body)}`}${extra}`,
    );
    const send = () => this.send(method, path, body, headers);
    const answer = await (hurdle === undefined ? send() : hurdle(send, isHigh));
    this.trail.push(`  ${answer.status} ${answer.text.slice(0, 300)}`);
    return answer;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send("GET", path, undefined, headers);
  }

  /** Returns all items of a list, oldest first. */
  async all(path: string, headers: Record<string, string> = {}): Promise<Json[]> {
    const items: Json[] = [];
    for (;;) {
      const mark = path.includes("?") ? "&" : "?";
      const { json } = await this.get(`${path}${mark}limit=100&offset=${items.length}`, headers);
      items.push(...json.items);
      if (items.length >= json.total || json.items.length === 0) return items.reverse();
    }
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const { lie, namespace } = this.#options;
    const init: RequestInit = {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(namespace === undefined ? {} : { "sandbox-namespace": namespace }),
        ...headers,
      },
    };
    if (body !== undefined) init.body = typeof body === "string" ? body : JSON.stringify(body);
    let response: Response;
    try {
      response = await this.#fetch(new Request(`http://sandbox${path}`, init));
    } catch (error) {
      // A fault closed the connection.
      if (!(error instanceof TypeError)) throw error;
      return { status: 0, text: "", json: undefined, now: null, replayed: false };
    }
    const told = { status: response.status, text: await response.text() };
    const { status, text } = lie?.(method, path, told.text, told.status) ?? told;
    return {
      status,
      text,
      json: JSON.parse(text),
      now: response.headers.get("sandbox-now"),
      replayed: response.headers.get("idempotent-replayed") === "true",
    };
  }
}
