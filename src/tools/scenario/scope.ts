import { getOwn } from "../../core/schema/json-objects.js";
import { didYouMean } from "../../core/schema/nearest.js";
import {
  fillReferences,
  MAX_VALUE_SIZE,
  type Resolution,
  type ResolveReference,
  sizeOf,
  type VariableFault,
  type VariableReference,
  valueAt,
} from "./variables.js";

/** Maximum number of variables that refer to each other in a row, because each takes a part of the call stack. */
const MAX_CHAINED = 500;

/** Sources of variables besides the file. */
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

  readonly resolve: ResolveReference = ({ name, fallback }: VariableReference): Resolution => {
    const root = variableNameOf(name);
    const rest = name.slice(root.length + 1);
    if (root === "env") return this.#resolveEnvironment(rest, fallback);
    if (fallback !== undefined)
      return { fault: `only a variable of the environment takes a default: \${env.${name}:-${fallback}}` };
    if (root === "run" && rest === "id") return { value: this.#sources.runId };
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
    const known = [...this.names, "run.id"];
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

/** Converts text of the command line to the type of the file's value. */
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
