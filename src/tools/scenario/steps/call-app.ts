import type { IncomingMessage } from "node:http";
import { callerOf, type KeptConnections, wasCutWhileIdle } from "../../../core/delivery/outgoing.js";
import type { Answered } from "../running/client.js";

export interface AppCall {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
  /** The connections to go by; without them it has one of its own. */
  readonly connections?: KeptConnections | undefined;
}

/**
 * Calls the app under test, redirects not followed. Not by `fetch`, which does not let
 * us see where a name leads: a scenario may be run by whoever has the control API, and its report shows the answer.
 */
export async function callApp(url: URL, asked: AppCall): Promise<Answered> {
  const { method, headers, body, signal, connections } = asked;
  const call = await callerOf(url, connections);
  return new Promise((resolve, reject) => {
    const outgoing = call({
      method,
      signal,
      headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": "payments-sandbox", ...headers },
    });
    let isAnswered = false;
    outgoing.on("error", (error) => {
      if (isAnswered || !wasCutWhileIdle(outgoing, error)) reject(error);
      else resolve(callApp(url, { ...asked, connections: undefined }));
    });
    outgoing.on("response", (response) => {
      isAnswered = true;
      resolve({
        status: response.statusCode!,
        headers: headersOf(response),
        text: () => textOf(response),
        body: {
          cancel: async () => {
            response.destroy();
          },
        },
      });
    });
    outgoing.end(body);
  });
}

/** As `Headers` has them, which is far slower: a name in small letters, and what comes more than once in one line. */
function headersOf({ rawHeaders }: IncomingMessage): Map<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name, value] = [rawHeaders[at]!.toLowerCase(), rawHeaders[at + 1]!];
    const before = name === "set-cookie" ? undefined : headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}

/** Rejects where it breaks off. */
function textOf(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("end", () => resolve(new TextDecoder().decode(Buffer.concat(chunks))));
    response.on("error", reject);
  });
}
