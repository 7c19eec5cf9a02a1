import { text } from "node:stream/consumers";
import { callerOf } from "../../delivery/outgoing.js";
import type { Answered } from "../running/client.js";

export interface AppCall {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Calls the app under test, on a connection of its own, redirects not followed. Not by `fetch`, which does not let
 * us see where a name leads: a scenario may be run by whoever has the control API, and its report shows the answer.
 */
export async function callApp(url: URL, { method, headers, body, signal }: AppCall): Promise<Answered> {
  const call = await callerOf(url);
  return new Promise((resolve, reject) => {
    const outgoing = call({
      method,
      signal,
      headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": "payments-sandbox", ...headers },
    });
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      const received = new Headers();
      const { rawHeaders } = response;
      for (let at = 0; at < rawHeaders.length; at += 2) received.append(rawHeaders[at]!, rawHeaders[at + 1]!);
      resolve({
        status: response.statusCode!,
        headers: received,
        text: () => text(response),
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
