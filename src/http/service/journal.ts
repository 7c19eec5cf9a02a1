import type { Context } from "hono";
import type { Namespace } from "../../namespace/namespace.js";
import type { Arrival } from "../../namespace/served-request.js";
import { bearerKey } from "../authenticate.js";
import { isEmbedded } from "../origin.js";
import type { Reply } from "../reply.js";

/** So much of an address is kept; the longest a person would read. */
const KEPT_PATH_LENGTH = 2_048;
const KEPT_URL_LENGTH = 2 * KEPT_PATH_LENGTH;

/** A call of the service as it went. */
export interface Served {
  /** Null where there is no such call. */
  readonly operation: string | null;
  readonly namespace: Namespace | undefined;
  readonly arrival: Arrival;
  /** Null where none was sent. */
  readonly reply: Reply | null;
  readonly requestBody?: string | null;
  /** Where the fault that was met comes from. */
  readonly fault?: string;
  readonly clientGone?: boolean;
  readonly isAnswerLost?: boolean;
  /** What the service passed over. */
  readonly tolerated?: readonly string[];
}

/**
 * Writes down what the app sent and got. What a page of another site sends without a key is nobody's app: it is left
 * out, for it would push out what is.
 */
export function journal(
  c: Context,
  { operation, namespace, arrival, reply, requestBody = null, ...more }: Served,
): void {
  if (namespace === undefined) return;
  const { fault, clientGone = false, isAnswerLost, tolerated } = more;
  const { headers } = c.req.raw;
  const authorization = headers.get("authorization");
  if (!authorization && isEmbedded(c.req.raw)) return;
  const entry = {
    method: c.req.method,
    url: cut(c.req.url, KEPT_URL_LENGTH),
    path: cut(c.req.path, KEPT_PATH_LENGTH),
    operation,
    status: reply?.status ?? null,
    clientGone,
    isAnswerLost,
    apiKey: bearerKey(authorization),
    requestBody,
    responseBody: reply?.json ?? null,
    errorCode: reply?.code ?? null,
    idempotencyKey: headers.get("idempotency-key"),
    runner: headers.get("sandbox-runner"),
    scenario: headers.get("sandbox-scenario"),
    fault: fault ?? null,
    tolerated,
  };
  namespace.journal.add(entry, arrival);
}

/** The text, or its beginning with a mark that there was more. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
