import { callerOf, networkErrorText } from "../../core/delivery/outgoing.js";
import type { Answer, AnswerKind } from "../../core/schema/receiver-report.js";
import type { Wall } from "../../core/time/wall.js";

/** How much of an answer is shown. */
const SHOWN_BYTES = 200;
/** An answer longer than this is not read to its end. */
const READ_BYTES = 64 * 1024;

export interface Request {
  /** Default: POST. */
  readonly method?: string;
  readonly sent: string;
  readonly attempt: number;
  readonly eventId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a request on a connection of its own, and tells what came back. Never rejects. */
export async function ask(url: URL, request: Request, timeoutMs: number, wall: Wall): Promise<Answer> {
  const call = await callerOf(url);
  const startMs = wall.nowMs();
  const { method = "POST" } = request;
  // Of an answer to an event the first words tell enough.
  const keptBytes = method === "POST" ? SHOWN_BYTES : READ_BYTES;
  return new Promise((resolve) => {
    let isConnected = false;
    let isDone = false;
    const finish = (answer: Partial<Answer> & { kind: AnswerKind }): void => {
      if (isDone) return;
      isDone = true;
      callOff();
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
    const failed = (error: string, connected: AnswerKind): void =>
      finish({ kind: isConnected ? connected : "unreachable", error });
    const bytes = Buffer.from(request.body);
    const outgoing = call({
      method,
      headers: { ...request.headers, "content-length": bytes.length },
    });
    const callOff = wall.after(
      timeoutMs,
      () => failed(`no ${isConnected ? "answer" : "connection"} within ${timeoutMs / 1000} s`, "timeout"),
      true,
    );
    outgoing.once("socket", (socket) =>
      socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => {
        isConnected = true;
      }),
    );
    outgoing.on("error", (error: NodeJS.ErrnoException) => failed(networkErrorText(error), "broken"));
    outgoing.on("response", (response) => {
      const chunks: Buffer[] = [];
      let read = 0;
      const answered = (): void => {
        const status = response.statusCode!;
        finish({
          kind: kindOf(status, response.headers["retry-after"] !== undefined),
          status,
          body: Buffer.concat(chunks).subarray(0, keptBytes).toString("utf8"),
          location: response.headers.location ?? null,
        });
      };
      response.on("data", (chunk: Buffer) => {
        if (read < keptBytes) chunks.push(chunk);
        if ((read += chunk.length) > READ_BYTES) answered();
      });
      response.on("end", answered);
      // The status is the answer, even if the body breaks off.
      response.on("error", answered);
    });
    outgoing.end(bytes);
  });
}

function kindOf(status: number, saysWhenToRetry: boolean): AnswerKind {
  if (status === 429 || (status === 503 && saysWhenToRetry)) return "busy";
  if (status >= 500) return "crashed";
  if (status >= 400) return "refused";
  return status >= 300 ? "redirected" : "accepted";
}
