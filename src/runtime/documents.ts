import { readFileSync, statSync } from "node:fs";
import type * as z from "zod/mini";
import { check, issueMessage, issuePath } from "../schema/issues.js";
import { nearest } from "../schema/nearest.js";
import { UserError } from "../schema/user-error.js";

const MAX_FILE_BYTES = 5 * 1024 * 1024;

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
  const field = fault.field === "" ? "" : `${fault.field}: `;
  return `${fault.file}:${fault.line}:${fault.column} ${field}${fault.message}`;
}

type Path = readonly (string | number)[];

/** A YAML or JSON file, read: its value, and where each part of it stands. */
export interface LoadedDocument {
  readonly file: string;
  readonly value: unknown;
  faultAt(path: Path, message: string): Fault;
}

/** Thrown with every fault of a file. */
export class DocumentError extends UserError {
  constructor(readonly faults: readonly Fault[]) {
    super(faults.map(faultText).join("\n"));
  }
}

function wholeFile(file: string, message: string): DocumentError {
  return new DocumentError([{ file, line: 1, column: 1, field: "", message }]);
}

/** Reads a file that a person wrote. The YAML library is loaded only when there is one to read. */
export async function readDocument(file: string): Promise<LoadedDocument> {
  let text: string;
  try {
    if (statSync(file).size > MAX_FILE_BYTES) throw wholeFile(file, "is larger than 5 MB");
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw wholeFile(file, code === "ENOENT" ? "there is no such file" : `cannot be read (${code})`);
  }
  return parseDocument(file, text);
}

export async function parseDocument(file: string, text: string): Promise<LoadedDocument> {
  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  if (document.errors.length > 0)
    throw new DocumentError(
      document.errors.map((error) => ({ file, ...at(error.pos[0]), field: "", message: error.message })),
    );
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw wholeFile(file, error instanceof Error ? error.message : String(error));
  }
  return {
    file,
    value,
    faultAt(path, message) {
      // The nearest part that exists: a missing field is reported at the record that lacks it.
      for (let length = path.length; length >= 0; length--) {
        const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
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

/** Where the key of a field stands, for a fault is about the field, not only its value. */
function keyOffset(
  yaml: typeof import("yaml"),
  document: ReturnType<typeof import("yaml").parseDocument>,
  path: Path,
): number | undefined {
  const last = path.at(-1);
  if (typeof last !== "string") return undefined;
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!yaml.isMap(parent)) return undefined;
  const pair = parent.items.find((item) => yaml.isScalar(item.key) && String(item.key.value) === last);
  return pair !== undefined && yaml.isScalar(pair.key) ? pair.key.range?.[0] : undefined;
}

type Issue = z.core.$ZodIssue;

/** All faults of a document against a schema, each at its place; the nearest known word for a misspelt key. */
export function schemaFaults(schema: z.ZodMiniType, document: LoadedDocument): Fault[] {
  const checked = check(schema, document.value);
  return checked.ok ? [] : checked.issues.flatMap((issue) => issueFaults(schema, document, issue));
}

function issueFaults(schema: z.ZodMiniType, document: LoadedDocument, issue: Issue): Fault[] {
  const path = issue.path.filter((part): part is string | number => typeof part !== "symbol");
  if (issue.code === "unrecognized_keys") {
    const known = knownKeys(schema, path);
    return issue.keys.map((key) => {
      const near = nearest(key, known);
      const hint =
        near === undefined
          ? known.length > 0
            ? `; known: ${known.join(", ")}`
            : ""
          : `; did you mean ${near}?`;
      return document.faultAt([...path, key], `unknown field${hint}`);
    });
  }
  if (issue.code === "invalid_union") {
    // Of a choice of shapes, the one that fits best is the one that was meant.
    const best = [...issue.errors].sort((a, b) => cost(a) - cost(b))[0];
    if (best !== undefined && best.length > 0)
      return best.flatMap((inner) =>
        issueFaults(schema, document, { ...inner, path: [...issue.path, ...inner.path] } as Issue),
      );
  }
  return [
    document.faultAt(
      path,
      issuePath(issue) === "body" && issue.message === "" ? "is invalid" : issueMessage(issue),
    ),
  ];
}

function cost(issues: readonly Issue[]): number {
  return issues.reduce(
    (sum, issue) => sum + (issue.path.length === 0 && issue.code === "invalid_type" ? 10 : 1),
    0,
  );
}

/** The field names a schema knows at a path, as far as it can be followed there. */
function knownKeys(schema: z.ZodMiniType, path: Path): string[] {
  let places: unknown[] = [schema];
  for (const part of [...path, undefined]) {
    places = places.flatMap(unwrap);
    if (part === undefined) break;
    places = places.flatMap((place) => {
      const { def } = (place as z.ZodMiniType)._zod as unknown as { def: Record<string, unknown> };
      if (def.type === "object")
        return [(def.shape as Record<string, unknown>)[String(part)] ?? def.catchall].filter(Boolean);
      if (def.type === "array") return [def.element];
      if (def.type === "record") return [def.valueType];
      return [];
    });
  }
  const keys = places.flatMap((place) => {
    const { def } = (place as z.ZodMiniType)._zod as unknown as { def: Record<string, unknown> };
    return def.type === "object" ? Object.keys(def.shape as object) : [];
  });
  return [...new Set(keys)];
}

function unwrap(place: unknown): unknown[] {
  const { def } = (place as z.ZodMiniType)._zod as unknown as { def: Record<string, unknown> };
  if (def.type === "optional" || def.type === "nullable" || def.type === "default")
    return unwrap(def.innerType);
  if (def.type === "union") return (def.options as unknown[]).flatMap(unwrap);
  if (def.type === "lazy") return unwrap((def.getter as () => unknown)());
  return [place];
}

/** The document's value if it is what the schema says; otherwise every fault at once. */
export function checkDocument<T>(schema: z.ZodMiniType<T>, document: LoadedDocument): T {
  const faults = schemaFaults(schema, document);
  if (faults.length > 0) throw new DocumentError(faults);
  return document.value as T;
}
