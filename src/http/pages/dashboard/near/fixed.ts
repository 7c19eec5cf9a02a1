import { plainText } from "../../../../domain/money.js";
import { nearestPath } from "../../../../domain/path-patterns.js";
import type { JournalEntry } from "../../../../namespace/served-request.js";
import { nearest } from "../../../../schema/nearest.js";
import { OPERATIONS } from "../../../service/operations.js";

/** Something about a call that the service refused or passed over. */
export interface Wrong {
  /** A field of the body as a dotted path, `path` or a parameter. */
  readonly field: string;
  /** As it was sent, as JSON; undefined where it was not. */
  readonly sent: string | undefined;
  /** What the service says of it. */
  readonly says: string;
  /** What was probably meant; undefined where that cannot be told. */
  readonly meant: string | undefined;
}

/** What was wrong with a call, and the call as it was probably meant. */
export interface Fixed {
  readonly wrong: readonly Wrong[];
  readonly path: string;
  readonly body: string | null;
  /** Whether anything of it is otherwise. */
  readonly differs: boolean;
}

type Json = Record<string, unknown>;

const known = new WeakMap<JournalEntry, Fixed>();

/** Made once for each call that is over. */
export function fixedCall(entry: JournalEntry): Fixed {
  let fixed = entry.inFlight ? undefined : known.get(entry);
  if (fixed === undefined) known.set(entry, (fixed = fix(entry)));
  return fixed;
}

function fix(entry: JournalEntry): Fixed {
  const { requestBody } = entry;
  const url = placeIn(entry);
  if (entry.operation === null && (entry.status === 404 || entry.status === 405)) return fixedPath(entry);
  const body = objectIn(requestBody);
  const wrong = saidOf(entry).map(([field, says]) => mend(body, field, says));
  const differs = wrong.some(({ meant }) => meant !== undefined);
  return { wrong, path: url, body: differs ? JSON.stringify(body) : requestBody, differs };
}

/** Puts a field right where what is said of it tells how. */
function mend(body: Json, field: string, says: string): Wrong {
  const path = field.split(".");
  const name = path.at(-1)!;
  const owner = ownerOf(body, path);
  if (owner === undefined || !Object.hasOwn(owner, name))
    return { field, sent: undefined, says, meant: undefined };
  const value = owner[name];
  const sent = JSON.stringify(value);
  const otherName = /did you mean ([^\s?]+)\?/.exec(says)?.[1];
  if (/not a (known )?field/.test(says)) {
    if (otherName === undefined) return { field, sent, says, meant: undefined };
    delete owner[name];
    owner[otherName] = value;
    return { field, sent, says, meant: otherName };
  }
  const meant = meantBy(value, says);
  if (meant === undefined) return { field, sent, says, meant: undefined };
  owner[name] = meant;
  return { field, sent, says, meant: JSON.stringify(meant) };
}

/** What the refusal says of each field, and what was passed over without a word. */
function saidOf({ responseBody, status, tolerated = [] }: JournalEntry): [string, string][] {
  const { error } = objectIn(responseBody) as { error?: { details?: Record<string, string> } };
  const details = (status ?? 500) >= 400 ? Object.entries(error?.details ?? {}) : [];
  return [
    ...details,
    ...tolerated.flatMap((note): [string, string][] => {
      const [, field, says] = /^body\.([^:]+): (.*)$/.exec(note) ?? [];
      return field === undefined ? [] : [[field, says!]];
    }),
  ];
}

/** Path and query: what is kept is an address where it came over a port. */
export function placeIn({ url }: JournalEntry): string {
  const { pathname, search } = new URL(url, "http://sandbox");
  return `${pathname}${search}`;
}

function fixedPath(entry: JournalEntry): Fixed {
  const { method, path, requestBody } = entry;
  const url = placeIn(entry);
  const of = (one: (typeof OPERATIONS)[number]) => `/api/v1${one.path.replace(/^\/api\/v1/, "")}`;
  const same = OPERATIONS.filter((one) => one.method === method);
  const near = nearestPath(path, same.map(of)) ?? nearestPath(path, OPERATIONS.map(of));
  // What stands for a parameter is nothing to send.
  const isWhole = near !== undefined && !near.includes("/:");
  return {
    wrong: [{ field: "path", sent: `${method} ${path}`, says: "there is no such call", meant: near }],
    path: isWhole ? url.replace(path, near) : url,
    body: requestBody,
    differs: isWhole,
  };
}

/** The value that was meant, as far as what is said of it tells. */
function meantBy(sent: unknown, says: string): unknown {
  if (typeof sent === "number" && /must be (a string|text|an amount|a decimal)/.test(says)) {
    const text = plainText(sent);
    return text.includes(".") ? text : `${text}.00`;
  }
  const [, list] = /must be one of ([^;]+)/.exec(says) ?? [];
  if (typeof sent === "string" && list !== undefined) {
    const names = list.split(", ");
    const alike = names.find((one) => one.toLowerCase() === sent.trim().toLowerCase());
    return alike ?? nearest(sent, names);
  }
  if (
    typeof sent === "string" &&
    /must be (a whole number|an integer|a number)/.test(says) &&
    /^\d+$/.test(sent)
  )
    return Number(sent);
  if (typeof sent === "string" && sent !== sent.trim()) return sent.trim();
  return undefined;
}

function objectIn(text: string | null): Json {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
  } catch {
    return {};
  }
}

function ownerOf(body: Json, path: readonly string[]): Json | undefined {
  let owner: unknown = body;
  for (const name of path.slice(0, -1))
    owner =
      typeof owner === "object" && owner !== null && Object.hasOwn(owner, name)
        ? (owner as Json)[name]
        : undefined;
  return typeof owner === "object" && owner !== null ? (owner as Json) : undefined;
}
