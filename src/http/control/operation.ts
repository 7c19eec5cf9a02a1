import type * as z from "zod/mini";
import { type NameCheck, unknownNames, type Vocabulary } from "../../domain/known-names.js";
import type { Namespace } from "../../namespace/namespace.js";
import type { Namespaces } from "../../namespace/namespaces.js";
import type { Mode } from "../../schema/common.js";
import { waitQuerySchema } from "../../schema/control.js";
import { durationMs } from "../../schema/duration.js";
import {
  type ErrorCode,
  INVALID_QUERY_MESSAGE,
  invalid,
  isRefusal,
  type Refusal,
} from "../../schema/errors.js";
import { check, issueDetails } from "../../schema/issues.js";
import { type Asked, type CallWords, type DescribedRow, type Row, readAsked } from "../operation.js";
import { pageOf, readQuery } from "../query.js";
import { ok, okJson, okPieces, type Reply } from "../reply.js";

type Fields = Record<string, unknown>;

/** A call of the control API in the namespace it means, with the body and query its row has checked. */
export interface ControlCall<Query = Fields, Body = Fields> extends Asked<Query, Body> {
  readonly namespaces: Namespaces;
  readonly namespace: Namespace;
  readonly url: string;
  /** The mode of the key that came along, else test: the default of what makes something. */
  readonly mode: Mode;
  /** The run it is made for, as its header `Sandbox-Run` says. */
  readonly run: string | null;
  /** Calls of this very server. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The names there are in it, which what is asked has to keep to. */
  readonly vocabulary: Vocabulary;
  /** Aborted when the caller has gone. */
  signal(): AbortSignal;
  param(name: string): string;
}

/** A row of the control API. A parameter that its query does not have is refused: a slip would go unseen. */
export interface ControlRow<Query, Body> extends Row<Query, Body>, Pick<DescribedRow, "answer"> {
  /** Read by what makes the OpenAPI document alone; the build leaves it out. */
  readonly says: ControlWords;
  /** What a parameter of the path must be; any text without it. */
  readonly params?: Readonly<Record<string, z.ZodMiniType<string>>>;
  /** The query also takes any parameter whose name begins so. */
  readonly queryPrefix?: string;
  /** Larger than usual for a whole state. */
  readonly maxBodyBytes?: number;
  /** More levels than usual for a state, which has bodies within it. */
  readonly maxDepth?: number;
  /** It takes `?wait=`: how long to wait for an advance under way rather than be refused. */
  readonly waits?: true;
}

/** What the document says of a call; its tag follows from its path, what it answers is said of that. */
export interface ControlWords extends Pick<CallWords, "summary" | "about"> {
  /** The named schema of a body that its handler checks by itself; a start does not read that schema. */
  readonly body?: string;
  /** A body that the call takes. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Of the parameters that begin as the row's `queryPrefix`. */
  readonly prefixed?: string;
  /** Codes it refuses with besides those that every such call has. */
  readonly refuses?: readonly ErrorCode[];
}

/** A row of a call that is answered elsewhere. */
export function answeredElsewhere(row: ControlRow<unknown, unknown>): ControlRow<unknown, unknown> {
  return row;
}

/** A call whose query and body have yet to be checked; what was found right takes their place. */
export interface RawCall extends Omit<ControlCall, "query" | "body"> {
  query: unknown;
  body: unknown;
}

/** A row with its work. */
export interface ControlOperation extends ControlRow<unknown, unknown> {
  handle(call: RawCall): Reply | Refusal | Promise<Reply | Refusal>;
}

/** JSON that was made before, or is made while it is sent: its handler answers it in the place of a value. */
export class MadeJson {
  readonly json: string | AsyncIterable<string>;

  constructor(json: string | AsyncIterable<string>) {
    this.json = json;
  }
}

/**
 * A call of the control API. Its handler is asked when path, query and body are as the row says, and answers a value
 * to be sent as JSON, or a refusal.
 */
export function controlOperation<Query, Body = Fields>(
  row: ControlRow<Query, Body>,
  handle: (call: ControlCall<Query, Body>) => object | Promise<object>,
): ControlOperation {
  const anyRow = row as ControlRow<unknown, unknown>;
  const work = (call: RawCall, { query, body }: Asked<unknown, unknown>) => {
    if (row.reads) call.namespace.settle();
    call.query = query;
    call.body = body;
    const answer = handle(call as ControlCall<Query, Body>);
    return answer instanceof Promise ? answer.then(replyOf) : replyOf(answer);
  };
  const { queryPrefix } = row;
  const isStray = (name: string) => queryPrefix === undefined || !name.startsWith(queryPrefix);
  return {
    ...anyRow,
    handle(call) {
      const asked = paramFault(anyRow, call) ?? readKnown(anyRow, call, isStray);
      if (isRefusal(asked)) return asked;
      return row.waits
        ? waitForClock(call).then((refusal) => refusal ?? work(call, asked))
        : work(call, asked);
    },
  };
}

function replyOf(answer: object): Reply | Refusal {
  if (!(answer instanceof MadeJson)) return isRefusal(answer) ? answer : ok(answer);
  return typeof answer.json === "string" ? okJson(answer.json) : okPieces(answer.json);
}

function paramFault({ params }: ControlRow<unknown, unknown>, { param }: RawCall): Refusal | undefined {
  if (params === undefined) return undefined;
  for (const [name, schema] of Object.entries(params)) {
    const named = check(schema, param(name));
    if (!named.ok) return invalid({ [name]: issueDetails(named.issues).body! });
  }
  return undefined;
}

/** What is asked, when all it names is there: a slip would match nothing, and go unseen. */
function readKnown(
  row: ControlRow<unknown, unknown>,
  { url, body, vocabulary }: RawCall,
  isStray: (name: string) => boolean,
): Asked<unknown, unknown> | Refusal {
  const asked = readAsked(row, url, body as Fields, isStray);
  if (isRefusal(asked)) return asked;
  return (
    nameFault(row.query, asked.query, { vocabulary }, INVALID_QUERY_MESSAGE) ??
    nameFault(row.body, asked.body, { vocabulary }) ??
    asked
  );
}

/** What a value names that nothing has, as a refusal. */
export function nameFault(
  schema: z.core.$ZodType | undefined,
  value: unknown,
  names: NameCheck,
  message?: string,
): Refusal | undefined {
  const unknown = schema === undefined ? [] : unknownNames(schema, value, names);
  if (unknown.length === 0) return undefined;
  return invalid(Object.fromEntries(unknown.map((one) => [one.path.join("."), one.message])), message);
}

async function waitForClock({ namespace, url }: Pick<ControlCall, "namespace" | "url">) {
  const read = readQuery(waitQuerySchema, url);
  if (isRefusal(read)) return read;
  if (read.query.wait !== undefined) await namespace.clock.idle(durationMs(read.query.wait));
  return undefined;
}

/** A page of what was found, each as `view` shows it, and how many there are on all pages. */
export function listed<Item extends object>(
  found: readonly Item[],
  query: Parameters<typeof pageOf>[0],
  view: (item: Item) => object = (item) => item,
) {
  const { limit, offset } = pageOf(query);
  return { total: found.length, items: found.slice(offset, offset + limit).map(view) };
}

/** A result as `view` shows it, or the refusal there is in its place. */
export function shown<Result>(result: Result | Refusal, view: (result: Result) => object): object {
  return isRefusal(result) ? result : view(result);
}
