import { createRequester } from "../../core/delivery/outgoing-http.js";
import { errorText } from "../../core/schema/error-text.js";
import type { Answer, AnswerKind } from "../../core/schema/receiver-report.js";
import type { WallClock } from "../../core/time/wall-clock.js";

/** Maximum length of a response body in reports. */
const REPORTED_BYTES = 200;
/** Maximum length of a body that is read. */
const READ_BYTES = 64 * 1024;

export interface OutgoingRequest {
  readonly sent: string;
  readonly attempt: number;
  readonly eventId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a request on a new connection. Never rejects. */
export async function sendRequest(
  url: URL,
  request: OutgoingRequest,
  timeoutMs: number,
  wall: WallClock,
): Promise<Answer> {
  const call = await createRequester(url);
  const startMs = wall.nowMs();
  return new Promise((resolve) => {
    let isConnected = false;
    let isDone = false;
    const finish = (answer: Partial<Answer> & { kind: AnswerKind }): void => {
      if (isDone) return;
      isDone = true;
      cancelTimeout();
      resolve({
        sent: request.sent,
        attempt: request.attempt,
        event_id: request.eventId,
        status: null,
        duration_ms: wall.nowMs() - startMs,
        body: "",
        location: null,
        error: null,
        ...answer,
      });
      outgoing.destroy();
    };
    const failed = (error: string, kindIfConnected: AnswerKind): void =>
      finish({ kind: isConnected ? kindIfConnected : "unreachable", error });
    const bytes = Buffer.from(request.body);
    const outgoing = call({
      method: "POST",
      headers: { ...request.headers, "content-length": bytes.length },
    });
    const cancelTimeout = wall.after(
      timeoutMs,
      () => failed(`no ${isConnected ? "answer" : "connection"} within ${timeoutMs / 1000} s`, "timeout"),
      true,
    );
    outgoing.once("socket", (socket) =>
      socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => {
        isConnected = true;
      }),
    );
    outgoing.on("error", (error: NodeJS.ErrnoException) => failed(errorText(error), "broken"));
    outgoing.on("response", (response) => {
      const chunks: Buffer[] = [];
      let read = 0;
      const onAnswer = (): void => {
        const status = response.statusCode!;
        finish({
          kind: kindOf(status, response.headers["retry-after"] !== undefined),
          status,
          body: Buffer.concat(chunks).subarray(0, REPORTED_BYTES).toString("utf8"),
          location: response.headers.location ?? null,
        });
      };
      response.on("data", (chunk: Buffer) => {
        if (read < REPORTED_BYTES) chunks.push(chunk);
        if ((read += chunk.length) > READ_BYTES) onAnswer();
      });
      response.on("end", onAnswer);
      // The status counts even if the body is cut off.
      response.on("error", onAnswer);
    });
    outgoing.end(bytes);
  });
}

function kindOf(status: number, hasRetryAfter: boolean): AnswerKind {
  if (status === 429 || (status === 503 && hasRetryAfter)) return "busy";
  if (status >= 500) return "crashed";
  if (status >= 400) return "refused";
  return status >= 300 ? "redirected" : "accepted";
}
