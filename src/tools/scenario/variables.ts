import { getOwn, MAX_JSON_DEPTH, TOO_DEEP_MESSAGE } from "../../core/schema/json-objects.js";
import { didYouMean } from "../../core/schema/nearest.js";

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
const MAX_VALUE_SIZE = 1_000_000;

const sizes = new WeakMap<object, number>();

/** Returns the approximate size of a value in characters. An object that occurs twice counts twice. */
function sizeOf(value: unknown): number {
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

export function valueAt(value: unknown, path: string): { readonly value: unknown } | undefined {
  let current = value;
  for (const key of path.split(".")) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return { value: current };
}

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

/** The id of the run, even in a file that has a variable `run`. */
const RUN_ID = "run.id";

/** Maximum number of variables that refer to each other in a row, because each takes a part of the call stack. */
const MAX_CHAINED = 500;

export interface VariableSources {
  /** Values of the `--var` option, which override values in the file. */
  readonly vars: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly runId: string;
}

/** The variables of one run: from the file, `--var` and the environment, and variables that steps saved. */
export class Scope {
  readonly #sources: VariableSources;
  readonly #values = new Map<string, unknown>();
  /** Faults of the file's variables; paths are relative to `vars`. */
  readonly faults: VariableFault[] = [];

  constructor(file: Readonly<Record<string, unknown>>, sources: VariableSources) {
    this.#sources = sources;
    for (const [name, value] of Object.entries(sources.vars))
      this.#values.set(name, convertTo(value, getOwn(file, name)));
    const open = new Set<string>();
    const define = (name: string): void => {
      if (this.#values.has(name) || !Object.hasOwn(file, name)) return;
      open.add(name);
      const value = fillReferences(
        file[name],
        (reference) => {
          const root = variableNameOf(reference.name);
          if (reference.name === RUN_ID) return this.resolve(reference);
          if (open.has(root)) return { fault: `\${${root}} refers to itself` };
          if (open.size > MAX_CHAINED)
            return { fault: `\${${root}} is reached by more than ${MAX_CHAINED} variables in a row` };
          define(root);
          return this.resolve(reference);
        },
        (fault) => {
          this.faults.push({ ...fault, path: [name, ...fault.path] });
        },
      );
      open.delete(name);
      const isTooLarge = sizeOf(value) > MAX_VALUE_SIZE;
      if (isTooLarge) this.faults.push({ path: [name], message: "expands to a value that is too long" });
      this.#values.set(name, isTooLarge ? "" : value);
    };
    for (const name of Object.keys(file)) define(name);
  }

  save(name: string, value: unknown): void {
    this.#values.set(name, value);
  }

  get names(): string[] {
    return [...this.#values.keys()];
  }

  /** Returns false for a variable that neither the file nor a step has set. */
  has(name: string): boolean {
    const root = variableNameOf(name);
    return name === RUN_ID || root === "env" || this.#values.has(root);
  }

  readonly resolve: ResolveReference = ({ name, fallback }: VariableReference): Resolution => {
    const root = variableNameOf(name);
    const rest = name.slice(root.length + 1);
    if (root === "env") return this.#resolveEnvironment(rest, fallback);
    if (fallback !== undefined)
      return { fault: `only a variable of the environment takes a default: \${env.${name}:-${fallback}}` };
    if (name === RUN_ID) return { value: this.#sources.runId };
    if (!this.#values.has(root)) return { fault: this.#unknown(root) };
    return evaluate(name, this.#values.get(root));
  };

  #resolveEnvironment(name: string, fallback: string | undefined): Resolution {
    const value = getOwn(this.#sources.environment, name);
    if (value !== undefined && (value !== "" || fallback === undefined)) return { value };
    if (fallback !== undefined) return { value: fallback };
    return {
      fault: `the environment has no ${name || "variable without a name"}; a default is written \${env.${name || "NAME"}:-default}`,
    };
  }

  #unknown(name: string): string {
    const known = [...this.names, RUN_ID];
    return `unknown variable ${name}${didYouMean(name, known, `; known: ${known.join(", ")}`)}`;
  }
}

/** A record as the value of a variable: `${name}` is its id, `${name.field}` a field. */
export class NamedRecord {
  constructor(
    readonly id: string,
    readonly record: unknown,
  ) {}
}

function evaluate(reference: string, value: unknown): Resolution {
  const root = variableNameOf(reference);
  const rest = reference.slice(root.length + 1);
  const isNamed = value instanceof NamedRecord;
  if (rest === "") return { value: isNamed ? value.id : value };
  return valueAt(isNamed ? value.record : value, rest) ?? { fault: `\${${root}} has no ${rest}` };
}

export function variableNameOf(name: string): string {
  const dot = name.indexOf(".");
  return dot === -1 ? name : name.slice(0, dot);
}

function convertTo(text: string, fileValue: unknown): unknown {
  if (typeof fileValue === "number" && text.trim() !== "" && Number.isFinite(Number(text)))
    return Number(text);
  if (typeof fileValue === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

export interface Variables {
  readonly resolve: ResolveReference;
  save(name: string, value: unknown): void;
}

/** Variables of one iteration or lane, which hide outer variables of the same name. */
export class LocalScope implements Variables {
  readonly #outer: Variables;
  readonly #values: Map<string, unknown>;
  readonly #isIsolated: boolean;

  /** @param isIsolated hides saved variables from the outer scope until `publish` */
  constructor(outer: Variables, variables: Readonly<Record<string, unknown>>, isIsolated: boolean) {
    this.#outer = outer;
    this.#values = new Map(Object.entries(variables));
    this.#isIsolated = isIsolated;
  }

  readonly resolve: ResolveReference = (reference) => {
    const root = variableNameOf(reference.name);
    return this.#values.has(root)
      ? evaluate(reference.name, this.#values.get(root))
      : this.#outer.resolve(reference);
  };

  save(name: string, value: unknown): void {
    if (this.#isIsolated || this.#values.has(name)) this.#values.set(name, value);
    else this.#outer.save(name, value);
  }

  /** Saves the variables to the outer scope. */
  publish(): void {
    for (const [name, value] of this.#values) this.#outer.save(name, value);
  }
}
