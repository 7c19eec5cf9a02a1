import type { Context } from "hono";
import type { Namespace } from "../../namespace/namespace.js";
import type { Arrival, ServedRequest } from "../../namespace/served-request.js";
import { bearerKey } from "../authenticate.js";
import { isEmbedded } from "../origin.js";
import type { Reply } from "../reply.js";
import { looksReal } from "./hints.js";

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
  /** What was made by it where its answer does not say so. */
  readonly objectId?: string | undefined;
  /** What the service passed over. */
  readonly tolerated?: readonly string[];
}

/** Writes down what the app sent and got. */
export function journal(c: Context, served: Served): void {
  if (isAnApps(c)) served.namespace?.journal.add(rowOf(c, served), served.arrival);
}

/** A call that takes its time: its row is there meanwhile. */
export interface CallUnderWay {
  /** What it has made, though it is not answered yet. */
  made(objectId: string | undefined): void;
  /** What has become of it. */
  end(outcome: Partial<Served> & Pick<Served, "reply">): void;
  /** Lets its row say that it is in flight for so long, for all that has become of it. */
  staysOpen(until: Promise<void>): Promise<void>;
}

/** Writes down that it has come, unless it is over at once. */
export function journalUnderWay(
  c: Context,
  served: Omit<Served, "reply">,
  { isSlow }: { readonly isSlow: boolean },
): CallUnderWay {
  const { namespace, arrival } = served;
  const row =
    isSlow && isAnApps(c)
      ? namespace?.journal.begin(rowOf(c, { ...served, reply: null }), arrival)
      : undefined;
  return {
    made: (objectId) => {
      if (row !== undefined) row.objectId = objectId;
    },
    end: (outcome) => {
      if (row === undefined) journal(c, { ...served, ...outcome });
      else namespace?.journal.finish(row, rowOf(c, { ...served, ...outcome }));
    },
    staysOpen: async (until) => {
      if (row !== undefined) row.inFlight = true;
      await until;
      if (row !== undefined) row.inFlight = false;
    },
  };
}

/** What a page of another site sends without a key is nobody's app: it is left out, for it would push out what is. */
function isAnApps(c: Context): boolean {
  return Boolean(c.req.raw.headers.get("authorization")) || !isEmbedded(c.req.raw);
}

function rowOf(c: Context, { operation, reply, requestBody = null, ...more }: Served): ServedRequest {
  const { fault, clientGone = false, isAnswerLost, objectId, tolerated } = more;
  const { headers } = c.req.raw;
  return {
    method: c.req.method,
    url: cut(c.req.url, KEPT_URL_LENGTH),
    path: cut(c.req.path, KEPT_PATH_LENGTH),
    operation,
    status: reply?.status ?? null,
    clientGone,
    isAnswerLost,
    apiKey: keyToKeep(bearerKey(headers.get("authorization"))),
    requestBody,
    responseBody: reply?.json ?? null,
    errorCode: reply?.code ?? null,
    idempotencyKey: headers.get("idempotency-key"),
    runner: headers.get("sandbox-runner"),
    scenario: headers.get("sandbox-scenario"),
    fault: fault ?? null,
    objectId,
    tolerated,
  };
}

/** Not even in memory stays what looks like a real key: the beginning says that there was one. */
function keyToKeep(key: string | null): string | null {
  return looksReal(key) ? key!.slice(0, key!.indexOf("_live_") + "_live_".length) : key;
}

/** The text, or its beginning with a mark that there was more. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
