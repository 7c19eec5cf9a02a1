import { invalid, type Refusal, refuse } from "../../../../schema/errors.js";
import { pathOf } from "../curl.js";
import { homeOf } from "../scene.js";
import type { Actions, Doing, Done } from "./action.js";

const RUNNER = "dashboard";
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** What the buttons of a request do: the call again, as it was or otherwise. */
export const REQUEST_ACTIONS: Actions = {
  replay: (doing) => {
    const entry = entryOf(doing);
    if (entry === undefined) return refuse("NOT_FOUND", "That request is no longer kept");
    const { method, apiKey, idempotencyKey, scenario, requestBody } = entry;
    return send(doing, {
      method,
      path: pathOf(entry),
      key: apiKey,
      idempotencyKey,
      scenario,
      body: requestBody ?? "",
    });
  },
  send: (doing) => {
    const { form, namespace } = doing;
    const { apiKey, liveApiKey } = namespace.info;
    const named = (name: string) => form.get(name)?.trim() ?? "";
    const method = named("method").toUpperCase();
    if (!METHODS.includes(method)) return invalid({ method: `must be one of ${METHODS.join(", ")}` });
    const path = named("path");
    if (!path.startsWith("/api/"))
      return invalid({ path: "must be a path of the service, such as /api/v1/payments/quotes" });
    const body = named("body");
    const fault = jsonFault(body);
    if (fault !== undefined) return invalid({ body: fault });
    const keys: Readonly<Record<string, string | null>> = { test: apiKey, live: liveApiKey, none: null };
    const asked = named("key");
    const key = Object.hasOwn(keys, asked) ? keys[asked]! : (entryOf(doing)?.apiKey ?? apiKey);
    return send(doing, {
      method,
      path,
      key: asked === "none" ? null : key,
      idempotencyKey: named("idempotency") || null,
      scenario: named("scenario") || null,
      body: method === "GET" ? "" : body,
    });
  },
};

function entryOf({ namespace, words: [id] }: Doing) {
  return namespace.journal.entries().find((one) => String(one.id) === id);
}

/** Where it is no JSON, in words; nothing at all is fine. */
function jsonFault(text: string): string | undefined {
  if (text === "") return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`;
  }
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly idempotencyKey: string | null;
  readonly scenario: string | null;
  readonly body: string;
}

/** Sends it as the app would, and leads to what became of it. */
async function send({ namespace, fetch }: Doing, call: Call): Promise<Done | Refusal> {
  const { method, path, key, idempotencyKey, scenario, body } = call;
  if (!URL.canParse(path, "http://sandbox")) return invalid({ path: "must be a path" });
  const headers = {
    "sandbox-namespace": namespace.name,
    "sandbox-runner": RUNNER,
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    ...(idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey }),
    ...(scenario === null ? {} : { "sandbox-scenario": scenario }),
    ...(body === "" ? {} : { "content-type": "application/json" }),
  };
  const before = namespace.journal.entries()[0]?.id ?? 0;
  const request = new Request(new URL(path, "http://sandbox"), {
    method,
    headers,
    ...(body === "" || method === "GET" ? {} : { body }),
  });
  const status = await fetch(request).then(
    (response) => response.status,
    () => undefined,
  );
  const sent = namespace.journal.entries().find((one) => one.id > before && one.runner === RUNNER);
  return {
    text:
      status === undefined
        ? "The connection was dropped"
        : `${method} ${new URL(path, "http://sandbox").pathname}: ${status}`,
    isBad: status === undefined || status >= 400,
    ...(sent === undefined ? {} : { to: `${homeOf(namespace.name)}/requests/${sent.id}` }),
  };
}
