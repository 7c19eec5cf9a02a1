import type { Namespace } from "../../namespace/namespace.js";
import type { Arrival, JournalEntry } from "../../namespace/served-request.js";
import { bearerKey } from "../authenticate.js";
import type { Exchange } from "../exchange.js";
import { isEmbedded } from "../origin.js";
import type { Reply } from "../reply.js";
import { looksReal } from "./hints.js";

/** So much of an address is kept; the longest a person would read. */
const KEPT_PATH_LENGTH = 2_048;
const KEPT_URL_LENGTH = 2 * KEPT_PATH_LENGTH;

/** What is known of a call of the service before it is answered. */
export interface Served {
  /** Null where there is no such call. */
  readonly operation: string | null;
  readonly namespace: Namespace | undefined;
  readonly arrival: Arrival;
  readonly requestBody?: string | null;
  /** Where the fault that was met comes from. */
  readonly fault?: string;
  /** What the service passed over. */
  readonly tolerated?: readonly string[];
}

/** What has become of it. */
export interface Ended {
  /** Null where none was sent. */
  readonly reply: Reply | null;
  readonly clientGone?: boolean;
  readonly isAnswerLost?: boolean;
  /** What was made by it, or read, where no answer was sent that says so. */
  readonly objectId?: string | undefined;
}

/** Writes down what the app sent and got. Two objects: a copy that has both costs more than all the rest of this. */
export function journal(call: Exchange, served: Served, ended: Ended): void {
  if (isAnApps(call)) served.namespace?.journal.add(rowOf(call, served, ended), served.arrival);
}

/** A call that takes its time: its row is there meanwhile. */
export interface CallUnderWay {
  /** What it has made, though it is not answered yet. */
  made(objectId: string | undefined): void;
  end(ended: Ended): void;
  /** Lets its row say that it is in flight for so long, for all that has become of it. */
  staysOpen(until: Promise<void>): Promise<void>;
}

/** Writes down that it has come, unless it is over at once. */
export function journalUnderWay(
  call: Exchange,
  served: Served,
  { isSlow }: { readonly isSlow: boolean },
): CallUnderWay {
  const { namespace, arrival } = served;
  const row =
    isSlow && isAnApps(call)
      ? namespace?.journal.begin(rowOf(call, served, { reply: null }), arrival)
      : undefined;
  return {
    made: (objectId) => {
      if (row !== undefined) row.objectId = objectId;
    },
    end: (ended) => {
      if (row === undefined) journal(call, served, ended);
      else namespace?.journal.finish(row, rowOf(call, served, ended));
    },
    staysOpen: async (until) => {
      if (row !== undefined) row.inFlight = true;
      await until;
      if (row !== undefined) row.inFlight = false;
    },
  };
}

/** What a page of another site sends without a key is nobody's app: it is left out, for it would push out what is. */
function isAnApps(call: Exchange): boolean {
  return Boolean(call.header("authorization")) || !isEmbedded((name) => call.header(name));
}

/** With the places of what the journal puts into it: an object that grows takes twice the memory, and there are many. */
function rowOf(call: Exchange, served: Served, ended: Ended): JournalEntry {
  const { arrival } = served;
  const { reply } = ended;
  return {
    method: call.method,
    url: cut(call.url, KEPT_URL_LENGTH),
    path: cut(call.path, KEPT_PATH_LENGTH),
    operation: served.operation,
    status: reply === null ? null : reply.status,
    clientGone: ended.clientGone ?? false,
    isAnswerLost: ended.isAnswerLost,
    apiKey: keyToKeep(bearerKey(call.header("authorization"))),
    requestBody: served.requestBody ?? null,
    responseBody: reply === null ? null : reply.json,
    errorCode: reply?.code ?? null,
    idempotencyKey: call.header("idempotency-key"),
    runner: call.header("sandbox-runner"),
    scenario: call.header("sandbox-scenario"),
    fault: served.fault ?? null,
    objectId: ended.objectId ?? reply?.objectId,
    tolerated: served.tolerated,
    habits: undefined,
    id: 0,
    inFlight: false,
    atMs: arrival.atMs,
    wallMs: arrival.wallMs,
    durationMs: Math.max(0, (served.namespace?.arrival().wallMs ?? 0) - arrival.wallMs),
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
