import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type * as z from "zod/mini";
import { TOO_DEEP } from "../schema/depth.js";
import { check, issueMessage, issuePath, meantIssues, NO_MESSAGE } from "../schema/issues.js";
import { nearest } from "../schema/nearest.js";
import { knownKeys, notBeside, unknownField } from "../schema/places.js";
import { UserError } from "../schema/user-error.js";
import {
  firstAlias,
  odditiesIn,
  type Slip,
  slipsIn,
  syntaxSlips,
  type Yaml,
  type YamlDocument,
} from "./yaml-slips.js";

const MAX_FILE_BYTES = 5 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** Words and signs of YAML; reading one takes some microseconds and a kilobyte, whatever the size of the file. */
const MAX_TOKENS = 200_000;
/** Nobody mends more at a time. */
const MAX_FAULTS = 50;
const MAX_TEXT = 400;

/** Where in a file something is wrong, and what. */
export interface Fault {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Dotted path of the field, empty for the file as a whole. */
  readonly field: string;
  readonly message: string;
}

export function faultText(fault: Fault): string {
  const field = fault.field === "" ? "" : `${shortened(fault.field)}: `;
  return `${fault.file}:${fault.line}:${fault.column} ${field}${shortened(fault.message)}`;
}

/** The same of what is allowed and cannot be meant. */
export function warningText(warning: Fault): string {
  return faultText({ ...warning, message: `warning: ${warning.message}` });
}

/** A message may quote the file, and a broken file may hold anything: one line of a length that can be read. */
function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length <= MAX_TEXT ? line : `${line.slice(0, MAX_TEXT)}…`;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Path = readonly (string | number)[];

/** A YAML or JSON file, read: its value, and where each part of it stands. */
export interface LoadedDocument {
  readonly file: string;
  readonly value: unknown;
  /** What YAML makes of it that can hardly be meant. */
  readonly oddities?: readonly Fault[];
  faultAt(path: Path, message: string): Fault;
}

/** Thrown with every fault of a file. */
export class DocumentError extends UserError {
  constructor(readonly faults: readonly Fault[]) {
    super(faults.map(faultText).join("\n"));
  }
}

/** As a reader meets them; one fault a place is enough. */
export function inOrder(faults: readonly Fault[]): Fault[] {
  const seen = new Set<string>();
  return [...faults]
    .sort((a, b) => a.line - b.line || a.column - b.column)
    .filter(({ field, message }) => {
      const key = `${field}\0${message}`;
      const isNew = !seen.has(key);
      seen.add(key);
      return isNew;
    });
}

export function wholeFile(file: string, message: string): DocumentError {
  return new DocumentError([{ file, line: 1, column: 1, field: "", message }]);
}

/** Reads a file that a person wrote. The YAML library is loaded only when there is one to read. */
export async function readDocument(file: string): Promise<LoadedDocument> {
  return parseDocument(file, readBounded(file));
}

/** What is no plain file could be without end, or keep whoever opens it waiting: it is not read. */
function readBounded(file: string): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw wholeFile(file, stats.isDirectory() ? "is a folder" : "is not a plain file");
    if (stats.size > MAX_FILE_BYTES) throw tooLarge(file);
    // A file may grow while it is read, and some say nothing of their size.
    const chunks: Buffer[] = [];
    for (let length = 0; ; ) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const read = readSync(descriptor, chunk);
      if (read === 0) return decoded(file, Buffer.concat(chunks));
      length += read;
      if (length > MAX_FILE_BYTES) throw tooLarge(file);
      chunks.push(chunk.subarray(0, read));
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw wholeFile(file, code === "ENOENT" ? "there is no such file" : `cannot be read (${code})`);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function decoded(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const before = bytes.toString("utf8").split("\uFFFD", 1)[0]!.split("\n");
    const place = { line: before.length, column: before.at(-1)!.length + 1 };
    throw new DocumentError([{ file, ...place, field: "", message: "is not UTF-8 from here on" }]);
  }
}

function tooLarge(file: string): DocumentError {
  return wholeFile(file, "is larger than 5 MB");
}

export async function parseDocument(file: string, text: string): Promise<LoadedDocument> {
  const yaml = await import("yaml");
  if (isTooMuch(yaml, text)) throw wholeFile(file, "holds too much to be read: leave something out");
  const lines = new yaml.LineCounter();
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const placed = ({ offset, message }: Slip): Fault => ({ file, ...at(offset), field: "", message });
  const faultsAt = (found: readonly Slip[]): DocumentError => new DocumentError(limited(found).map(placed));
  const document = readText(yaml, file, text, lines);
  if (document.errors.length > 0) throw faultsAt(syntaxSlips(document));
  const slips = [...slipsIn(yaml, document)];
  if (slips.length > 0) throw faultsAt(slips);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw wholeFile(file, String(error));
    const message = "what the aliases stand for comes to too much: leave some of them out";
    throw faultsAt([{ offset: firstAlias(yaml, document), message }]);
  }
  return {
    file,
    value,
    oddities: odditiesIn(yaml, document).map(placed),
    faultAt(path, message) {
      // The nearest part that exists: a missing field is reported at the record that lacks it.
      for (let length = path.length; length >= 0; length--) {
        const node = length === 0 ? document.contents : nodeAt(yaml, document, path.slice(0, length));
        const range = yaml.isNode(node) ? node.range : undefined;
        if (range)
          return {
            file,
            ...at(keyOffset(yaml, document, path.slice(0, length)) ?? range[0]),
            field: path.join("."),
            message,
          };
      }
      return { file, line: 1, column: 1, field: path.join("."), message };
    },
  };
}

/** A value that comes from no file: its faults have fields only. */
export function valueDocument(value: unknown): LoadedDocument {
  return {
    file: "",
    value,
    faultAt: (path, message) => ({ file: "", line: 1, column: 1, field: path.join("."), message }),
  };
}

function isTooMuch(yaml: Yaml, text: string): boolean {
  let count = 0;
  for (const _token of new yaml.Lexer().lex(text)) if (++count > MAX_TOKENS) return true;
  return false;
}

function readText(
  yaml: Yaml,
  file: string,
  text: string,
  lineCounter: InstanceType<Yaml["LineCounter"]>,
): YamlDocument {
  try {
    // The library looks for repeated keys by holding each against all others: `slipsIn` does it in one go.
    return yaml.parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false });
  } catch (error) {
    throw wholeFile(file, error instanceof RangeError ? TOO_DEEP : String(error));
  }
}

/** The first so many, and for the rest one that tells how many there are. */
function limited<T extends { readonly message: string }>(faults: readonly T[]): T[] {
  const rest = faults.length - MAX_FAULTS;
  if (rest <= 0) return [...faults];
  const next = faults[MAX_FAULTS]!;
  return [...faults.slice(0, MAX_FAULTS), { ...next, message: `${next.message} (and ${rest - 1} more)` }];
}

/** The part of the file a path leads to, through aliases. */
function nodeAt(yaml: Yaml, document: YamlDocument, path: Path): unknown {
  let node: unknown = document.contents;
  for (const part of path) {
    if (yaml.isAlias(node)) node = node.resolve(document);
    if (yaml.isMap(node)) node = node.items.find((item) => keyName(yaml, item.key) === String(part))?.value;
    else if (yaml.isSeq(node)) node = node.items[Number(part)];
    else return undefined;
  }
  return node;
}

function keyName(yaml: Yaml, key: unknown): string | undefined {
  return yaml.isScalar(key) ? String(key.value) : undefined;
}

/** Where the key of a field stands, for a fault is about the field, not only its value. */
function keyOffset(yaml: Yaml, document: YamlDocument, path: Path): number | undefined {
  const last = path.at(-1);
  if (typeof last !== "string") return undefined;
  let parent = nodeAt(yaml, document, path.slice(0, -1));
  if (yaml.isAlias(parent)) parent = parent.resolve(document);
  if (!yaml.isMap(parent)) return undefined;
  const pair = parent.items.find((item) => keyName(yaml, item.key) === last);
  return pair !== undefined && yaml.isScalar(pair.key) ? pair.key.range?.[0] : undefined;
}

type Issue = z.core.$ZodIssue;

/** Which part of a document is checked, when it is not the whole as it stands in the file. */
export interface Part {
  readonly at: Path;
  /** What is checked in the place of what the file has there, its variables filled in. */
  readonly value: unknown;
  /** Whether a value is not known yet, so that nothing can be said against it. */
  readonly isOpen?: (value: unknown) => boolean;
}

/** A text that YAML takes for a number or a truth value. */
function isUnquoted({ code, input, ...issue }: Issue): boolean {
  const isText = code === "invalid_type" && (issue as { expected?: string }).expected === "string";
  return isText && (typeof input === "number" || typeof input === "boolean");
}

/** How a value of a kind is written. */
const WRITTEN: Readonly<Record<string, string>> = {
  array: "must be a list: each entry on a line that begins with -, or [one, another]",
  object: "must have fields, such as { name: value }",
  record: "must have fields, such as { name: value }",
  boolean: "must be true or false",
};

function writtenMessage(issue: Issue): string {
  const isSilent = issue.code === "invalid_type" && issue.message === NO_MESSAGE && issue.input !== undefined;
  return (isSilent ? WRITTEN[issue.expected] : undefined) ?? issueMessage(issue);
}

/** All faults of a document against a schema, each at its place; the nearest known word for a misspelt key. */
export function schemaFaults(schema: z.ZodMiniType, document: LoadedDocument, part?: Part): Fault[] {
  const { at = [], value = document.value, isOpen = () => false } = part ?? {};
  const checked = check(schema, value);
  if (checked.ok) return [];
  const all = checked.issues.flatMap((issue) => issueMessages(schema, issue, isOpen));
  const said = all.filter(
    (one) => one.message !== "is required" || !all.some((other) => isMeant(one, other)),
  );
  return limited(said).map(({ path, message }) => document.faultAt([...at, ...path], message));
}

/** Whether a field that is missing is there under a name that is a slip. */
function isMeant(missing: Said, { path, message }: Said): boolean {
  const beside = [...path.slice(0, -1), missing.path.at(-1)].join("\0") === missing.path.join("\0");
  return beside && message.endsWith(`did you mean ${String(missing.path.at(-1))}?`);
}

interface Said {
  readonly path: Path;
  readonly message: string;
}

function issueMessages(schema: z.ZodMiniType, issue: Issue, isOpen: (value: unknown) => boolean): Said[] {
  if (isOpen(issue.input)) return [];
  const path = issue.path.filter((part): part is string | number => typeof part !== "symbol");
  if (issue.code === "unrecognized_keys") {
    const known = knownKeys(schema, path);
    const given = Object.keys(issue.input as object);
    return issue.keys.map((key) => {
      const excluded = known.includes(key) ? notBeside(schema, path, key, given) : [];
      const message = `does not go with ${excluded.join(", ")}: leave one of them out`;
      const isBelow = (field: string): boolean => knownKeys(schema, [...path, field]).includes(key);
      const below = nearest(key, known) === undefined ? known.find(isBelow) : undefined;
      const unknown = below === undefined ? unknownField(key, known) : `goes under ${below}: { ${key}: … }`;
      return { path: [...path, key], message: excluded.length > 0 ? message : unknown };
    });
  }
  const meant = issue.message === NO_MESSAGE || isRecord(issue.input) ? meantIssues(issue) : [];
  if (meant.length > 0) return meant.flatMap((inner) => issueMessages(schema, inner, isOpen));
  if (isUnquoted(issue) && issue.message === NO_MESSAGE)
    return [{ path, message: `${issueMessage(issue)}: put it in quotes` }];
  const [inKey] = issue.code === "invalid_key" ? issue.issues : [];
  if (inKey !== undefined) return [{ path, message: inKey.message }];
  const isSilent = issuePath(issue) === "body" && issue.message === "";
  return [{ path, message: isSilent ? "is invalid" : writtenMessage(issue) }];
}

/** The document's value if it is what the schema says; otherwise every fault at once. */
export function checkDocument<T>(schema: z.ZodMiniType<T>, document: LoadedDocument): T {
  const faults = schemaFaults(schema, document);
  if (faults.length > 0) throw new DocumentError(faults);
  return document.value as T;
}
