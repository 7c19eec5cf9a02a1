// Reads and checks YAML and JSON files written by users: scenarios, fixtures, configs. Called by the loaders of those
// files. A file becomes a LoadedDocument; each fault has a line and column. The YAML library is loaded
// only when a file is read; nothing here knows the meaning of a field.

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type * as z from "zod/mini";
import {
  DEFAULT_ISSUE_MESSAGE,
  findClosestUnionIssues,
  issueMessage,
  issuePath,
  safeParse,
} from "../schema/issues.js";
import { isJsonObject, TOO_DEEP_MESSAGE } from "../schema/json-objects.js";
import { findNearestWord } from "../schema/nearest.js";
import { findConflictingFields, listKnownKeys, unknownFieldMessage } from "../schema/schema-paths.js";
import { systemErrorText } from "../schema/system-error-text.js";
import { UserError } from "../schema/user-error.js";
import {
  firstAliasOffset,
  structureFaults,
  syntaxFault,
  type YamlDocument,
  type YamlFault,
  type YamlModule,
  yamlWarnings,
} from "./yaml-faults.js";

const MAX_FILE_BYTES = 5 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** Limit of YAML tokens, each of which takes some microseconds and a kilobyte to parse. */
const MAX_TOKENS = 200_000;
const MAX_FAULTS = 50;
const MAX_TEXT = 1_000;

export interface DocumentFault {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Dotted path; empty for the whole file. */
  readonly field: string;
  readonly message: string;
  /** True if the file could not be read: its `line` and `column` are 1 and name no place. */
  readonly whole_file?: boolean;
}

export function faultText(fault: DocumentFault): string {
  const field = fault.field === "" ? "" : `${shortened(fault.field)}: `;
  const place = fault.whole_file ? `${fault.file}:` : `${fault.file}:${fault.line}:${fault.column}`;
  return `${place} ${field}${shortened(fault.message)}`;
}

export function warningText(warning: DocumentFault): string {
  return faultText({ ...warning, message: `warning: ${warning.message}` });
}

/** Makes one line of limited length: messages quote the file, which may contain anything. */
function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length <= MAX_TEXT ? line : `${line.slice(0, MAX_TEXT)}…`;
}

type Path = readonly (string | number)[];

/** A parsed YAML or JSON file, with the positions of its parts. */
export interface LoadedDocument {
  readonly file: string;
  readonly value: unknown;
  /** Valid YAML that is probably a mistake. */
  readonly warnings?: readonly DocumentFault[];
  faultAt(path: Path, message: string): DocumentFault;
}

export class DocumentError extends UserError {
  constructor(
    readonly faults: readonly DocumentFault[],
    exitCode?: number,
    code?: string,
  ) {
    super(faults.map(faultText).join("\n"), exitCode, code);
  }
}

/** Sorts by position; drops repeated faults of a field. */
export function sortAndDedupeFaults(faults: readonly DocumentFault[]): DocumentFault[] {
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

export function wholeFileError(file: string, message: string): DocumentError {
  return new DocumentError([{ file, line: 1, column: 1, field: "", message, whole_file: true }]);
}

export async function readDocument(file: string): Promise<LoadedDocument> {
  return parseDocument(file, readBounded(file));
}

/** Refuses all but plain files: a pipe or device may block when opened, or may never end. */
function readBounded(file: string): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(descriptor);
    if (!stats.isFile())
      throw wholeFileError(file, stats.isDirectory() ? "is a folder" : "is not a plain file");
    if (stats.size > MAX_FILE_BYTES) throw tooLarge(file);
    // A file may grow while it is read, and some files, as in /proc, report no size.
    const chunks: Buffer[] = [];
    for (let length = 0; ; ) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const bytes = readSync(descriptor, chunk);
      if (bytes === 0) return decodeUtf8(file, Buffer.concat(chunks));
      length += bytes;
      if (length > MAX_FILE_BYTES) throw tooLarge(file);
      chunks.push(chunk.subarray(0, bytes));
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw wholeFileError(
      file,
      isMissing ? "there is no such file" : `cannot be read: ${systemErrorText(error)}`,
    );
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function decodeUtf8(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const before = bytes.toString("utf8").split("\uFFFD", 1)[0]!.split("\n");
    const position = { line: before.length, column: before.at(-1)!.length + 1 };
    throw new DocumentError([{ file, ...position, field: "", message: "is not UTF-8 from here on" }]);
  }
}

function tooLarge(file: string): DocumentError {
  return wholeFileError(file, "is larger than 5 MB");
}

export async function parseDocument(file: string, text: string): Promise<LoadedDocument> {
  const yaml = await import("yaml");
  if (hasTooManyTokens(yaml, text)) throw wholeFileError(file, "is too large to parse: split or shorten it");
  const lines = new yaml.LineCounter();
  const position = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const toFault = ({ offset, message }: YamlFault): DocumentFault => ({
    file,
    ...position(offset),
    field: "",
    message,
  });
  const faultsAt = (found: readonly YamlFault[]): DocumentError =>
    new DocumentError(limited(found).map(toFault));
  const document = parseYaml(yaml, file, text, lines);
  if (document.errors.length > 0) throw faultsAt([syntaxFault(document)]);
  const slips = [...structureFaults(yaml, document)];
  if (slips.length > 0) throw faultsAt(slips);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw wholeFileError(file, String(error));
    const message = "the aliases expand to too much: remove some";
    throw faultsAt([{ offset: firstAliasOffset(yaml, document), message }]);
  }
  return {
    file,
    value,
    warnings: yamlWarnings(yaml, document).map(toFault),
    faultAt(path, message) {
      // A missing field is reported at its nearest existing parent.
      for (let length = path.length; length >= 0; length--) {
        const node = length === 0 ? document.contents : nodeAt(yaml, document, path.slice(0, length));
        const range = yaml.isNode(node) ? node.range : undefined;
        if (range)
          return {
            file,
            ...position(keyOffset(yaml, document, path.slice(0, length)) ?? range[0]),
            field: path.join("."),
            message,
          };
      }
      return { file, line: 1, column: 1, field: path.join("."), message };
    },
  };
}

/** Wraps a value without a file; its faults have no position. */
export function documentFromValue(value: unknown, file = ""): LoadedDocument {
  return {
    file,
    value,
    faultAt: (path, message) => ({ file, line: 1, column: 1, field: path.join("."), message }),
  };
}

function hasTooManyTokens(yaml: YamlModule, text: string): boolean {
  let count = 0;
  for (const _token of new yaml.Lexer().lex(text)) if (++count > MAX_TOKENS) return true;
  return false;
}

function parseYaml(
  yaml: YamlModule,
  file: string,
  text: string,
  lineCounter: InstanceType<YamlModule["LineCounter"]>,
): YamlDocument {
  try {
    // Repeated keys are found later: the library's check is quadratic.
    return yaml.parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false });
  } catch (error) {
    throw wholeFileError(file, error instanceof RangeError ? TOO_DEEP_MESSAGE : String(error));
  }
}

/** Keeps at most `MAX_FAULTS` + 1 faults; the last message then says how many faults are left out. */
function limited<T extends { readonly message: string }>(faults: readonly T[]): T[] {
  const rest = faults.length - MAX_FAULTS;
  if (rest <= 0) return [...faults];
  const next = faults[MAX_FAULTS]!;
  return [...faults.slice(0, MAX_FAULTS), { ...next, message: `${next.message} (and ${rest - 1} more)` }];
}

/** Finds the node at a path; follows aliases. */
function nodeAt(yaml: YamlModule, document: YamlDocument, path: Path): unknown {
  let node: unknown = document.contents;
  for (const part of path) {
    if (yaml.isAlias(node)) node = node.resolve(document);
    if (yaml.isMap(node)) node = node.items.find((item) => keyName(yaml, item.key) === String(part))?.value;
    else if (yaml.isSeq(node)) node = node.items[Number(part)];
    else return undefined;
  }
  return node;
}

function keyName(yaml: YamlModule, key: unknown): string | undefined {
  return yaml.isScalar(key) ? String(key.value) : undefined;
}

/** Offset of a field's key, where its faults are reported. */
function keyOffset(yaml: YamlModule, document: YamlDocument, path: Path): number | undefined {
  const last = path.at(-1);
  if (typeof last !== "string") return undefined;
  let parent = nodeAt(yaml, document, path.slice(0, -1));
  if (yaml.isAlias(parent)) parent = parent.resolve(document);
  if (!yaml.isMap(parent)) return undefined;
  const pair = parent.items.find((item) => keyName(yaml, item.key) === last);
  return pair !== undefined && yaml.isScalar(pair.key) ? pair.key.range?.[0] : undefined;
}

type Issue = z.core.$ZodIssue;

interface DocumentPart {
  readonly path: Path;
  /** The part's value after variables are filled in; checked instead of the file's own value. */
  readonly value: unknown;
  /** Returns true for a value with unresolved variables, which cannot be checked. */
  readonly isUnresolved?: (value: unknown) => boolean;
}

/** Returns true if YAML parsed an unquoted text as a number or boolean. */
function isUnquoted({ code, input, ...issue }: Issue): boolean {
  const isText = code === "invalid_type" && (issue as { expected?: string }).expected === "string";
  return isText && (typeof input === "number" || typeof input === "boolean");
}

/** Messages for a value of the wrong type, by the expected type. */
const SYNTAX_MESSAGES: Readonly<Record<string, string>> = {
  array: "must be a list: each entry on a line that begins with -, or [one, another]",
  object: "must have fields, such as { name: value }",
  record: "must have fields, such as { name: value }",
  boolean: "must be true or false",
};

function writtenMessage(issue: Issue): string {
  const isSilent =
    issue.code === "invalid_type" && issue.message === DEFAULT_ISSUE_MESSAGE && issue.input !== undefined;
  return (isSilent ? SYNTAX_MESSAGES[issue.expected] : undefined) ?? issueMessage(issue);
}

export function schemaFaults(
  schema: z.ZodMiniType,
  document: LoadedDocument,
  part?: DocumentPart,
): DocumentFault[] {
  const { path: at = [], value = document.value, isUnresolved = () => false } = part ?? {};
  const checked = safeParse(schema, value);
  if (checked.ok) return [];
  const all = checked.issues.flatMap((issue) => issueMessages(schema, issue, isUnresolved));
  const relevant = all.filter(
    (fault) => fault.message !== "is required" || !all.some((other) => isMisspelling(fault, other)),
  );
  return limited(relevant).map(({ path, message }) => document.faultAt([...at, ...path], message));
}

/** Returns true if the second fault already suggests the missing field for a misspelt key. */
function isMisspelling(missing: PathMessage, { path, message }: PathMessage): boolean {
  const beside = [...path.slice(0, -1), missing.path.at(-1)].join("\0") === missing.path.join("\0");
  return beside && message.endsWith(`did you mean ${String(missing.path.at(-1))}?`);
}

interface PathMessage {
  readonly path: Path;
  readonly message: string;
}

function issueMessages(
  schema: z.ZodMiniType,
  issue: Issue,
  isUnresolved: (value: unknown) => boolean,
): PathMessage[] {
  if (isUnresolved(issue.input)) return [];
  const path = issue.path.filter((part): part is string | number => typeof part !== "symbol");
  if (issue.code === "unrecognized_keys") {
    const known = listKnownKeys(schema, path);
    const keys = Object.keys(issue.input as object);
    return issue.keys.map((key) => {
      const excluded = known.includes(key) ? findConflictingFields(schema, path, key, keys) : [];
      const message = `does not go with ${excluded.join(", ")}: leave one of them out`;
      const isBelow = (field: string): boolean => listKnownKeys(schema, [...path, field]).includes(key);
      const below = findNearestWord(key, known) === undefined ? known.find(isBelow) : undefined;
      const unknown =
        below === undefined ? unknownFieldMessage(key, known) : `goes under ${below}: { ${key}: … }`;
      return { path: [...path, key], message: excluded.length > 0 ? message : unknown };
    });
  }
  const inner =
    issue.message === DEFAULT_ISSUE_MESSAGE || isJsonObject(issue.input) ? findClosestUnionIssues(issue) : [];
  if (inner.length > 0) return inner.flatMap((cause) => issueMessages(schema, cause, isUnresolved));
  if (isUnquoted(issue) && issue.message === DEFAULT_ISSUE_MESSAGE)
    return [{ path, message: `${issueMessage(issue)}: put it in quotes` }];
  const [inKey] = issue.code === "invalid_key" ? issue.issues : [];
  if (inKey !== undefined) return [{ path, message: inKey.message }];
  const isSilent = issuePath(issue) === "body" && issue.message === "";
  return [{ path, message: isSilent ? "is invalid" : writtenMessage(issue) }];
}

/** Returns the document's value; throws a DocumentError with all faults if it does not match the schema. */
export function checkDocument<T>(schema: z.ZodMiniType<T>, document: LoadedDocument): T {
  const faults = schemaFaults(schema, document);
  if (faults.length > 0) throw new DocumentError(faults);
  return document.value as T;
}
