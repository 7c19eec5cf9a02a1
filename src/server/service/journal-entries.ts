import * as z from "zod/mini";
import { globMatches } from "../../core/domain/glob.js";
import { wireResponse } from "../../core/domain/wire.js";
import type { MatchedFault } from "../../core/namespace/fault-injector.js";
import type { Namespace } from "../../core/namespace/namespace.js";
import type { ArrivalTime, RequestEntry } from "../../core/namespace/request-journal.js";
import { readObjectId } from "../../core/namespace/response-holds.js";
import { ALL_EVENT_TYPES, suggestEventType } from "../../core/schema/event-types.js";
import { didYouMean } from "../../core/schema/nearest.js";
import { isCrossSiteSubresource } from "../http/access.js";
import { type HttpCall, parseBearerKey } from "../http/call.js";
import { bodySchema, querySchema } from "../http/operation-row.js";
import type { Reply } from "../http/reply.js";
import { isRealKey } from "./admit.js";
import type { Operation } from "./operation.js";

const PATH_LENGTH_MAX = 2_048;
const URL_LENGTH_MAX = 2 * PATH_LENGTH_MAX;

export interface ReceivedCall {
  /** Null for an unknown path or method. */
  readonly operation: string | null;
  readonly namespace: Namespace | undefined;
  readonly arrival: ArrivalTime;
  readonly requestBody?: string | null;
  readonly fault?: MatchedFault;
  /** Notes on ignored parts of the call, from `describeIgnoredParts`. */
  readonly ignored?: readonly string[];
}

interface CallEnd {
  /** Null if no reply was sent. */
  readonly reply: Reply | null;
  readonly hasClientDisconnected?: boolean;
  readonly isResponseLost?: boolean;
  /** Id of the call's object, if the reply has no `objectId` or was not sent. */
  readonly objectId?: string | undefined;
}

/** The reply in the form that `wire` gives it. The object's id is read before, because a rule may rename its field. */
export function wiredReply({ namespace, operation }: ReceivedCall, reply: Reply): Reply {
  const wire = namespace?.engine.settings.wire;
  if (wire === undefined) return reply;
  return { ...wireResponse(wire, operation, reply), objectId: reply.objectId ?? readObjectId(reply.json) };
}

export function journalCall(call: HttpCall, served: ReceivedCall, end: CallEnd): void {
  if (isFromApp(call)) served.namespace?.journal.add(entryOf(call, served, end), served.arrival);
}

interface InFlightCall {
  setObject(objectId: string | undefined): void;
  end(end: CallEnd): void;
  /** Shows a call without a response as in flight until the promise resolves. */
  keepOpen(until: Promise<void>): Promise<void>;
}

/** Journals a slow call at its start, as in flight, and a fast call at its end. */
export function journalInFlightCall(call: HttpCall, served: ReceivedCall, isSlow: boolean): InFlightCall {
  const { namespace, arrival } = served;
  const entry =
    isSlow && isFromApp(call)
      ? namespace?.journal.begin(entryOf(call, served, { reply: null }), arrival)
      : undefined;
  return {
    setObject: (objectId) => {
      if (entry !== undefined) entry.objectId = objectId;
    },
    end: (end) => {
      if (entry === undefined) journalCall(call, served, end);
      else namespace?.journal.finish(entry, entryOf(call, served, end));
    },
    keepOpen: async (until) => {
      if (entry !== undefined) entry.inFlight = true;
      await until;
      if (entry !== undefined) entry.inFlight = false;
    },
  };
}

/** Returns false for keyless requests from other sites' pages, which would displace the app's calls in the journal. */
function isFromApp(call: HttpCall): boolean {
  return Boolean(call.header("authorization")) || !isCrossSiteSubresource((name) => call.header(name));
}

/** Sets every field from the start, because an object that grows takes twice the memory. */
function entryOf(call: HttpCall, served: ReceivedCall, end: CallEnd): RequestEntry {
  const { arrival } = served;
  const { reply } = end;
  return {
    method: call.method,
    url: truncate(call.url, URL_LENGTH_MAX),
    path: truncate(call.path, PATH_LENGTH_MAX),
    operation: served.operation,
    status: reply === null ? null : reply.status,
    hasClientDisconnected: end.hasClientDisconnected ?? false,
    isResponseLost: end.isResponseLost,
    apiKey: storableKey(parseBearerKey(call.header("authorization"))),
    requestBody: served.requestBody ?? null,
    responseBody: reply === null ? null : reply.json,
    errorCode: reply?.code ?? null,
    idempotencyKey: call.header("idempotency-key"),
    runner: call.header("sandbox-runner"),
    scenario: call.header("sandbox-scenario"),
    fault: served.fault?.source ?? null,
    faultRule: served.fault?.rule,
    objectId: end.objectId ?? reply?.objectId,
    tolerated: served.ignored,
    id: 0,
    chars: 0,
    inFlight: false,
    atMs: arrival.atMs,
    wallMs: arrival.wallMs,
    durationMs: Math.max(0, (served.namespace?.arrival().wallMs ?? 0) - arrival.wallMs),
  };
}

/** Truncates a real key to its prefix; the secret part is never stored. */
function storableKey(key: string | null): string | null {
  return isRealKey(key) ? key!.slice(0, key!.indexOf("_live_") + "_live_".length) : key;
}

function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

const NOTES_MAX = 10;
const NOTE_NAME_LENGTH_MAX = 64;

/** Notes on parts of a call that the service silently ignores, as `path: reason`. */
export function describeIgnoredParts(
  operation: Operation,
  call: HttpCall,
  body: Readonly<Record<string, unknown>>,
  eventNames: Readonly<Record<string, string>>,
): readonly string[] {
  const notes: string[] = [];
  const schema = bodySchema(operation);
  const fields = schema === undefined ? ANY : fieldsOf(schema);
  if (fields !== ANY) noteFields(notes, fields, body, "body");
  const mark = call.url.indexOf("?");
  if (mark !== -1) noteParameters(notes, operation, call.url.slice(mark + 1));
  if (call.header("idempotency-key") !== null) noteKey(notes, operation);
  if (operation.id === "createWebhook" || operation.id === "updateWebhook")
    noteTypes(notes, body.events, eventNames);
  return notes.length === 0 ? NONE : notes;
}

/** Shared by all calls without notes, so that the request journal stores no empty list per call. */
const NONE: readonly string[] = [];

function addNote(notes: string[], note: string): void {
  if (notes.length < NOTES_MAX) notes.push(note);
}

function noteFields(notes: string[], known: FieldTree, value: object, path: string): void {
  for (const name of Object.keys(value)) {
    if (notes.length === NOTES_MAX) return;
    const subfields = known.get(name);
    if (subfields === undefined)
      addNote(notes, unknownNote(path, name, "not a field of this call", [...known.keys()]));
    else if (subfields !== ANY) {
      const part = (value as Readonly<Record<string, unknown>>)[name];
      if (typeof part === "object" && part !== null) noteFields(notes, subfields, part, `${path}.${name}`);
    }
  }
}

/** Field names of a schema, each with the fields below it. */
type FieldTree = ReadonlyMap<string, FieldTree>;

/** Fields of a schema that allows any field. */
const ANY: FieldTree = new Map();
const FIELDS = new WeakMap<z.core.$ZodType, FieldTree>();

function fieldsOf(schema: z.core.$ZodType): FieldTree {
  let fields = FIELDS.get(schema);
  if (fields === undefined) FIELDS.set(schema, (fields = readFieldsOf(schema)));
  return fields;
}

function readFieldsOf(schema: z.core.$ZodType): FieldTree {
  if (schema instanceof z.ZodMiniOptional) return fieldsOf(schema.def.innerType);
  if (schema instanceof z.ZodMiniDiscriminatedUnion)
    return new Map(schema.def.options.flatMap((option) => [...fieldsOf(option)]));
  if (!(schema instanceof z.ZodMiniObject)) return ANY;
  const shape = schema.shape as Readonly<Record<string, z.core.$ZodType>>;
  return new Map(Object.entries(shape).map(([name, field]) => [name, fieldsOf(field)]));
}

function noteParameters(notes: string[], operation: Operation, search: string): void {
  const known = Object.keys(querySchema(operation)?.shape ?? {});
  for (const name of new Set(new URLSearchParams(search).keys()))
    if (!known.includes(name))
      addNote(notes, unknownNote("query", name, "not a parameter of this call", known));
}

function unknownNote(path: string, name: string, reason: string, known: readonly string[]): string {
  const shortName = truncate(name, NOTE_NAME_LENGTH_MAX);
  return `${path}.${shortName}: ${reason}${didYouMean(shortName, known)}`;
}

function noteKey(notes: string[], { method, headers }: Operation): void {
  if (method === "POST" && !headers?.includes("Idempotency-Key"))
    addNote(notes, "headers.idempotency-key: not heeded by this call; sent again, it is done again");
}

function noteTypes(notes: string[], globs: unknown, eventNames: Readonly<Record<string, string>>): void {
  if (!Array.isArray(globs)) return;
  const known = [...ALL_EVENT_TYPES, ...Object.values(eventNames)];
  for (const [index, glob] of globs.entries()) {
    if (notes.length === NOTES_MAX) return;
    if (typeof glob === "string" && !known.some((name) => globMatches(glob, name)))
      addNote(
        notes,
        `body.events.${index}: ${truncate(glob, NOTE_NAME_LENGTH_MAX)} is an unknown event type${suggestEventType(glob, known)}`,
      );
  }
}
