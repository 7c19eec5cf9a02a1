import { MAX_DEPTH, TOO_DEEP } from "../../core/schema/depth.js";

/**
 * `${name}`, `${name.path}` and `${env.NAME:-default}` in the strings of a file. A string that is nothing but one
 * of them takes its value, whatever its type; `$${` stands for a `${` that is meant literally.
 */
const REFERENCE = /\$?\$\{([^{}]*)\}?/g;
const NAME = /^([A-Za-z_][A-Za-z0-9_-]*(?:\.[^\s.:]+)*)(?::-(.*))?$/s;

export interface Reference {
  /** `email`, or `quote.amount`. */
  readonly name: string;
  /** What follows `:-`. */
  readonly fallback: string | undefined;
}

/** What a reference stands for; open when it is not known yet and the text stays as it is. */
export type Resolved = { readonly value: unknown } | { readonly fault: string } | "open";
export type Resolve = (reference: Reference) => Resolved;

export type Path = readonly (string | number)[];
export interface VariableFault {
  readonly path: Path;
  readonly message: string;
}

/** Variables may stand for something deep themselves. */
const MAX_FILLED_DEPTH = MAX_DEPTH + 20;

/** Whether a value is a string with a variable that is still open. */
export function isOpen(value: unknown): boolean {
  return typeof value === "string" && value.includes("${");
}

/** The value with every variable in it filled in; what cannot be is told to `onFault` and stays as it is. */
export function fill(
  value: unknown,
  resolve: Resolve,
  onFault: (fault: VariableFault) => void,
  path: Path = [],
): unknown {
  if (typeof value === "string")
    return fillText(value, resolve, (message) => {
      onFault({ path, message });
    });
  if (typeof value === "object" && path.length > MAX_FILLED_DEPTH) {
    onFault({ path: path.slice(0, 10), message: TOO_DEEP });
    return null;
  }
  if (Array.isArray(value)) return value.map((part, index) => fill(part, resolve, onFault, [...path, index]));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, fill(part, resolve, onFault, [...path, key])]),
  );
}

function fillText(text: string, resolve: Resolve, onFault: (message: string) => void): unknown {
  if (!text.includes("${")) return text;
  let lone: { readonly value: unknown } | undefined;
  let length = text.length;
  const filled = text.replace(REFERENCE, (whole: string, inside: string) => {
    if (whole.startsWith("$$")) return whole.slice(1);
    const reference = whole.endsWith("}") ? parseReference(inside) : undefined;
    const resolved: Resolved =
      reference === undefined
        ? { fault: `${quoted(whole)} is no variable: write \${name}` }
        : resolve(reference);
    if (resolved === "open") return whole;
    if ("fault" in resolved) {
      onFault(resolved.fault);
      return whole;
    }
    if (whole === text) lone = resolved;
    length += sizeOf(resolved.value);
    if (length > MAX_SIZE) {
      onFault("makes a text that is too long");
      return "";
    }
    return lone === undefined ? textOf(resolved.value) : "";
  });
  return lone === undefined ? filled : lone.value;
}

/** What a value may come to, in characters and parts: a few lines can double something very often. */
export const MAX_SIZE = 1_000_000;

const sizes = new WeakMap<object, number>();

/** How large a value is when it is written out; parts that are shared count each time. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let size = 1;
  for (const part of Object.values(value)) size += 1 + sizeOf(part);
  sizes.set(value, size);
  return size;
}

function parseReference(inside: string): Reference | undefined {
  const match = NAME.exec(inside);
  return match === null ? undefined : { name: match[1]!, fallback: match[2] };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function quoted(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** What stands at a dotted path in a value. */
export function valueAt(value: unknown, path: string): { readonly value: unknown } | undefined {
  let current = value;
  for (const key of path.split(".")) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return { value: current };
}
