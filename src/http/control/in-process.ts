import type { SandboxAnswer } from "../../control-client.js";
import type { Namespaces } from "../../namespace/namespaces.js";
import { aborter } from "../../time/patience.js";
import { failureReply, replyHeaders } from "../reply.js";
import type { ControlOperation } from "./operation.js";
import { type ControlWays, replyTo, type Told } from "./serve.js";

/** Calls the control API; undefined for what is no call of it. */
export type ControlInProcess = (path: string, init: RequestInit) => Promise<SandboxAnswer> | undefined;

interface InProcessOptions {
  readonly namespaces: Namespaces;
  readonly operations: readonly ControlOperation[];
  readonly ways: ControlWays;
  readonly onError: (error: unknown) => void;
}

const NEVER = aborter().signal;

/** The control API for whoever is in this process: the same checks and the same work, and no request or response is made. */
export function controlInProcess({
  namespaces,
  operations,
  ways,
  onError,
}: InProcessOptions): ControlInProcess {
  const routes = operations.map((operation) => {
    const names = [...operation.path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
    return { operation, names, pattern: new RegExp(`^${operation.path.replace(/:\w+/g, "([^/]+)")}$`) };
  });
  return (path, { method = "GET", headers, body, signal }) => {
    if (typeof body !== "string" && body !== undefined) return undefined;
    const [bare] = path.split("?");
    const route = routes.find(({ operation, pattern }) => operation.method === method && pattern.test(bare!));
    if (route === undefined) return undefined;
    const { operation, names, pattern } = route;
    const values = pattern.exec(bare!)!.slice(1);
    const sent = new Headers(headers);
    return replyTo(namespaces, operation, ways, {
      url: `http://localhost${path}`,
      header: (name) => sent.get(name),
      signal: () => signal ?? NEVER,
      param: (name) => decodeURIComponent(values[names.indexOf(name)] ?? ""),
      body: () => (body === undefined ? {} : JSON.parse(body)),
    })
      .catch((error): Told => {
        onError(error);
        return { reply: failureReply(error, {}), nowMs: namespaces.nowMs() };
      })
      .then(answerOf);
  };
}

function answerOf({ reply: { status, json, pieces, headers }, nowMs }: Told): SandboxAnswer {
  return {
    status,
    ok: status < 300,
    headers: new Headers({ ...replyHeaders(nowMs), ...headers }),
    body: null,
    text: async () => (pieces === undefined ? json : joined(pieces)),
  };
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}
