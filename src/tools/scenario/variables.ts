import { MAX_JSON_DEPTH, TOO_DEEP_MESSAGE } from "../../core/schema/depth.js";

/**
 * `${name}`, `${name.path}` and `${env.NAME:-default}` in strings. A string that consists of one reference takes the
 * value with its type; `$${` is a literal `${`.
 */
const REFERENCE = /\$?\$\{([^{}]*)\}?/g;
const NAME = /^([A-Za-z_][A-Za-z0-9_-]*(?:\.[^\s.:]+)*)(?::-(.*))?$/s;

export interface VariableReference {
  /** `email`, or `quote.amount`. */
  readonly name: string;
  /** Text after `:-`. */
  readonly fallback: string | undefined;
}

/** Result of resolving a reference. `open` keeps the text for later, because the value is not known yet. */
export type Resolution = { readonly value: unknown } | { readonly fault: string } | "open";
export type ResolveReference = (reference: VariableReference) => Resolution;

export type ValuePath = readonly (string | number)[];
export interface VariableFault {
  readonly path: ValuePath;
  readonly message: string;
}

/** Maximum depth of a filled-in value. A value can be deeper than the input, because a variable can hold an object. */
const MAX_FILLED_DEPTH = MAX_JSON_DEPTH + 20;

/** Returns true for a string with a variable that is not filled in. */
export function hasVariable(value: unknown): boolean {
  return typeof value === "string" && value.includes("${");
}

/** Fills in every variable in a value. Keeps a variable that cannot be resolved, and calls `onFault`. */
export function fillReferences(
  value: unknown,
  resolve: ResolveReference,
  onFault: (fault: VariableFault) => void,
  path: ValuePath = [],
): unknown {
  if (typeof value === "string")
    return fillText(value, resolve, (message) => {
      onFault({ path, message });
    });
  if (typeof value === "object" && path.length > MAX_FILLED_DEPTH) {
    onFault({ path: path.slice(0, 10), message: TOO_DEEP_MESSAGE });
    return null;
  }
  if (Array.isArray(value))
    return value.map((part, index) => fillReferences(part, resolve, onFault, [...path, index]));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, fillReferences(part, resolve, onFault, [...path, key])]),
  );
}

function fillText(text: string, resolve: ResolveReference, onFault: (message: string) => void): unknown {
  if (!text.includes("${")) return text;
  let single: { readonly value: unknown } | undefined;
  let length = text.length;
  const filled = text.replace(REFERENCE, (whole: string, inside: string) => {
    if (whole.startsWith("$$")) return whole.slice(1);
    const reference = whole.endsWith("}") ? parseReference(inside) : undefined;
    const resolved: Resolution =
      reference === undefined
        ? { fault: `${shorten(whole)} is not a variable: write \${name}` }
        : resolve(reference);
    if (resolved === "open") return whole;
    if ("fault" in resolved) {
      onFault(resolved.fault);
      return whole;
    }
    if (whole === text) single = resolved;
    length += sizeOf(resolved.value);
    if (length > MAX_VALUE_SIZE) {
      onFault("expands to a text that is too long");
      return "";
    }
    return single === undefined ? asText(resolved.value) : "";
  });
  return single === undefined ? filled : single.value;
}

/** Maximum result of `sizeOf`. A few nested variables could otherwise fill the memory. */
export const MAX_VALUE_SIZE = 1_000_000;

const sizes = new WeakMap<object, number>();

/** Returns the approximate size of a value in characters. An object that occurs twice counts twice. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  const cached = sizes.get(value);
  if (cached !== undefined) return cached;
  let size = 1;
  for (const part of Object.values(value)) size += 1 + sizeOf(part);
  sizes.set(value, size);
  return size;
}

function parseReference(inside: string): VariableReference | undefined {
  const match = NAME.exec(inside);
  return match === null ? undefined : { name: match[1]!, fallback: match[2] };
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** Reads a value at a dotted path. */
export function valueAt(value: unknown, path: string): { readonly value: unknown } | undefined {
  let current = value;
  for (const key of path.split(".")) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return { value: current };
}

/** Variable syntax of other tools. */
const FOREIGN_SYNTAX = /\{\{\s*([A-Za-z_][\w-]*)\s*\}\}|(?<!\$)\$([A-Za-z_][\w-]*)/g;

/** Warns of a known variable in the syntax of another tool, such as `{{name}}`, because the text is not filled in. */
export function foreignSyntaxWarnings(
  value: unknown,
  names: ReadonlySet<string>,
  path: ValuePath = [],
): VariableFault[] {
  if (typeof value === "string")
    return [...value.matchAll(FOREIGN_SYNTAX)].flatMap(([written, inBraces, bare]) => {
      const name = inBraces ?? bare ?? "";
      const message = `${written} is literal text: write the variable as \${${name}}`;
      return names.has(name) ? [{ path, message }] : [];
    });
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    foreignSyntaxWarnings(part, names, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}
