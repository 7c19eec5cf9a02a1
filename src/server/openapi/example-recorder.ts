import type { RoutedRow } from "../http/operation-row.js";
import type { OpenApiJson } from "./document.js";

export type NamedExamples = Readonly<Record<string, unknown>>;

/** Path parameters and request bodies of a call, and its responses by status. */
export interface CallExamples {
  readonly params: Readonly<Record<string, unknown>>;
  readonly bodies: NamedExamples;
  readonly responses: Readonly<Record<number, NamedExamples>>;
}

export interface DocumentExamples {
  readonly calls: Readonly<Record<string, CallExamples>>;
  readonly events: Readonly<Record<string, OpenApiJson>>;
}

export const NO_EXAMPLES: DocumentExamples = { calls: {}, events: {} };

type ExampleParams = CallExamples["params"];

export interface ExampleRequest {
  readonly params?: ExampleParams;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: OpenApiJson;
  /** Name of the body's example; default: the name of the response's example. */
  readonly bodyName?: string;
}

/** Records calls to a sandbox as examples. With a stopped clock, the same calls give the same bytes. */
export class ExampleRecorder {
  readonly #rows: ReadonlyMap<string, Pick<RoutedRow, "id" | "call">>;
  readonly #fetch: (request: Request) => Promise<Response>;
  readonly #calls: Record<
    string,
    { params: ExampleParams; bodies: OpenApiJson; responses: Record<number, OpenApiJson> }
  > = {};
  readonly #events: Record<string, OpenApiJson> = {};

  constructor(
    rows: readonly Pick<RoutedRow, "id" | "call">[],
    fetch: (request: Request) => Promise<Response>,
  ) {
    this.#rows = new Map(rows.map((row) => [row.id, row]));
    this.#fetch = fetch;
  }

  async call(id: string, name: string, setup: ExampleRequest = {}): Promise<OpenApiJson> {
    const row = this.#rows.get(id);
    if (row === undefined) throw new Error(`there is no call ${id}`);
    const { params = {}, query = {}, body, headers, bodyName = name } = setup;
    const [method, template] = row.call.split(" ") as [string, string];
    const path = template.replace(/\{(\w+)\}/g, (_all, param: string) => String(params[param]));
    const search = new URLSearchParams(query).toString();
    const { status, json } = await this.send(
      method,
      search === "" ? path : `${path}?${search}`,
      body,
      headers,
    );
    const recorded = (this.#calls[id] ??= { params, bodies: {}, responses: {} });
    recorded.responses[status] = { ...recorded.responses[status], [name]: withCodePlaceholder(json) };
    if (body !== undefined && status === 200) recorded.bodies[bodyName] = body;
    return json;
  }

  async send(
    method: string,
    path: string,
    body?: OpenApiJson,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly json: OpenApiJson }> {
    const request = new Request(`${ORIGIN}${path}`, {
      method,
      headers: {
        authorization: "Bearer sk_test_sandbox",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const response = await this.#fetch(request);
    return { status: response.status, json: (await response.json()) as OpenApiJson };
  }

  /** Records an event; without a subject, the event is about a sample object. */
  async event(type: string, subject: OpenApiJson = {}): Promise<void> {
    const { json } = await this.send("POST", "/_sandbox/events", { type, ...subject });
    this.#events[type] = json.payload as OpenApiJson;
  }

  get examples(): DocumentExamples {
    return { calls: this.#calls, events: this.#events };
  }
}

const ORIGIN = "http://127.0.0.1:4402";

/** Replaces an error's code, which `error_codes` may rename, by a placeholder. */
function withCodePlaceholder(response: OpenApiJson): OpenApiJson {
  const { error } = response as { error?: { readonly code: string } };
  return error === undefined ? response : { error: { ...error, code: `{{code ${error.code}}}` } };
}
