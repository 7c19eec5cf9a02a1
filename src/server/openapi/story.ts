import type { Row } from "../http/operation.js";
import type { Json } from "./document.js";

/** Examples by what they are called, each with the value it shows. */
export type Examples = Readonly<Record<string, unknown>>;

/** What was sent to a call and what it answered, by status. */
export interface PlayedCall {
  readonly bodies: Examples;
  readonly answers: Readonly<Record<number, Examples>>;
}

/** What was seen while a story was played: the examples of a document. */
export interface Played {
  readonly calls: Readonly<Record<string, PlayedCall>>;
  /** An event of each type. */
  readonly events: Readonly<Record<string, Json>>;
}

export const NOTHING_PLAYED: Played = { calls: {}, events: {} };

export function playedOf({ calls }: Played, id: string): PlayedCall {
  return calls[id] ?? { bodies: {}, answers: {} };
}

/** How a call is made in a story: what its path, query, headers and body are. */
export interface Part {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** What the body is called, where it is not what the answer is. */
  readonly named?: string;
}

/**
 * Plays calls on a sandbox of its own, and writes down what was sent and answered: the examples of a document. On a
 * clock that stands the same story is the same bytes.
 */
export class Story {
  readonly #rows: ReadonlyMap<string, Pick<Row<unknown, unknown>, "id" | "method" | "path">>;
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #calls: Record<string, { bodies: Json; answers: Record<number, Json> }> = {};
  readonly #events: Record<string, Json> = {};

  constructor(
    rows: readonly Pick<Row<unknown, unknown>, "id" | "method" | "path">[],
    fetch: (request: Request) => Promise<Response>,
  ) {
    this.#rows = new Map(rows.map((row) => [row.id, row]));
    this.#fetch = fetch;
  }

  /** Makes a call; `name` is what its example is called. */
  async call(id: string, name: string, part: Part = {}): Promise<Json> {
    const row = this.#rows.get(id);
    if (row === undefined) throw new Error(`there is no call ${id}`);
    const { params = {}, query = {}, body, headers, named = name } = part;
    const path = row.path.replace(/:(\w+)/g, (_all, param: string) => String(params[param]));
    const search = new URLSearchParams(query).toString();
    const { status, json } = await this.send(
      row.method,
      search === "" ? path : `${path}?${search}`,
      body,
      headers,
    );
    const played = (this.#calls[id] ??= { bodies: {}, answers: {} });
    played.answers[status] = { ...played.answers[status], [name]: marked(json) };
    if (body !== undefined && status === 200) played.bodies[named] = body;
    return json;
  }

  /** Makes a call that no document shows. */
  async send(
    method: string,
    path: string,
    body?: Json,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly json: Json }> {
    const request = new Request(`${ADDRESS}${path}`, {
      method,
      headers: {
        authorization: "Bearer sk_test_sandbox",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await this.#fetch(request);
    return { status: answer.status, json: (await answer.json()) as Json };
  }

  /** Makes an event of that type, of a sample unless it tells of something there is. */
  async event(type: string, about: Json = {}): Promise<void> {
    const { json } = await this.send("POST", "/_sandbox/events", { type, ...about });
    this.#events[type] = json.payload as Json;
  }

  get played(): Played {
    return { calls: this.#calls, events: this.#events };
  }
}

const ADDRESS = "http://127.0.0.1:4402";

/** An error's code may have a name of the user's own. */
function marked(answer: Json): Json {
  const { error } = answer as { error?: { readonly code: string } };
  return error === undefined ? answer : { error: { ...error, code: `{{code ${error.code}}}` } };
}
