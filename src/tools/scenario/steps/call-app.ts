import type { IncomingMessage } from "node:http";
import {
  type ConnectionPool,
  createRequester,
  wasCutWhileIdle,
} from "../../../core/delivery/outgoing-http.js";
import type { FetchedResponse } from "../running/client.js";

export interface AppCall {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
  /** Reused connections; absent: a new one. */
  readonly connections?: ConnectionPool | undefined;
}

/**
 * Calls the app under test; does not follow redirects. Not by `fetch`, which hides the resolved address: any client of
 * the control API can run a scenario, and the report contains the response.
 */
export async function callApp(url: URL, request: AppCall): Promise<FetchedResponse> {
  const { method, headers, body, signal, connections } = request;
  const call = await createRequester(url, connections);
  return new Promise((resolve, reject) => {
    const outgoing = call({
      method,
      signal,
      headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": "payments-sandbox", ...headers },
    });
    let isAnswered = false;
    outgoing.on("error", (error) => {
      if (isAnswered || !wasCutWhileIdle(outgoing, error)) reject(error);
      else resolve(callApp(url, { ...request, connections: undefined }));
    });
    outgoing.on("response", (response) => {
      isAnswered = true;
      resolve({
        status: response.statusCode!,
        headers: headersOf(response),
        text: () => readText(response),
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

/** Same result as `Headers`, but much faster: lower-case names, repeated headers joined. */
function headersOf({ rawHeaders }: IncomingMessage): Map<string, string> {
  const headers = new Map<string, string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name, value] = [rawHeaders[index]!.toLowerCase(), rawHeaders[index + 1]!];
    const previous = name === "set-cookie" ? undefined : headers.get(name);
    headers.set(name, previous === undefined ? value : `${previous}, ${value}`);
  }
  return headers;
}

/** Rejects if the body is cut off. */
function readText(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("end", () => resolve(new TextDecoder().decode(Buffer.concat(chunks))));
    response.on("error", reject);
  });
}
