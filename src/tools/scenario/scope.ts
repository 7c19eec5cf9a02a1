import { didYouMean } from "../../core/schema/nearest.js";
import { own } from "../../core/schema/own.js";
import {
  fill,
  MAX_SIZE,
  type Reference,
  type Resolve,
  type Resolved,
  sizeOf,
  type VariableFault,
  valueAt,
} from "./variables.js";

/** Where the values of a run's variables come from. */
export interface Givens {
  /** `--var`, before those of the file. */
  readonly given: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly runId: string;
}

/** The variables of one run of a file: its own and those given, the environment, and what steps have saved. */
export class Scope {
  readonly #givens: Givens;
  readonly #values = new Map<string, unknown>();
  /** What went wrong with the file's own variables; paths begin below `vars`. */
  readonly faults: VariableFault[] = [];

  constructor(file: Readonly<Record<string, unknown>>, givens: Givens) {
    this.#givens = givens;
    for (const [name, value] of Object.entries(givens.given))
      this.#values.set(name, typed(value, own(file, name)));
    const open = new Set<string>();
    const settle = (name: string): void => {
      if (this.#values.has(name) || !Object.hasOwn(file, name)) return;
      open.add(name);
      const value = fill(
        file[name],
        (reference) => {
          const needed = rootOf(reference.name);
          if (open.has(needed)) return { fault: `\${${needed}} leads back to itself` };
          settle(needed);
          return this.resolve(reference);
        },
        (fault) => {
          this.faults.push({ ...fault, path: [name, ...fault.path] });
        },
      );
      open.delete(name);
      const isTooLarge = sizeOf(value) > MAX_SIZE;
      if (isTooLarge) this.faults.push({ path: [name], message: "makes a value that is too long" });
      this.#values.set(name, isTooLarge ? "" : value);
    };
    for (const name of Object.keys(file)) settle(name);
  }

  /** Keeps what a step saved. */
  save(name: string, value: unknown): void {
    this.#values.set(name, value);
  }

  get names(): string[] {
    return [...this.#values.keys()];
  }

  readonly resolve: Resolve = ({ name, fallback }: Reference): Resolved => {
    const root = rootOf(name);
    const rest = name.slice(root.length + 1);
    if (root === "env") return this.#ofEnvironment(rest, fallback);
    if (fallback !== undefined)
      return { fault: `only a variable of the environment takes a default: \${env.${name}:-${fallback}}` };
    if (root === "run" && rest === "id") return { value: this.#givens.runId };
    if (!this.#values.has(root)) return { fault: this.#unknown(root) };
    return referred(name, this.#values.get(root));
  };

  #ofEnvironment(name: string, fallback: string | undefined): Resolved {
    const value = own(this.#givens.environment, name);
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

/** A record that a variable stands for: the variable itself is its id, `${name.field}` a field of it. */
export class NamedRecord {
  constructor(
    readonly id: string,
    readonly record: unknown,
  ) {}
}

/** What `${name}` or `${name.part}` comes to where the variable has that value. */
export function referred(reference: string, value: unknown): Resolved {
  const root = rootOf(reference);
  const rest = reference.slice(root.length + 1);
  const isNamed = value instanceof NamedRecord;
  if (rest === "") return { value: isNamed ? value.id : value };
  return valueAt(isNamed ? value.record : value, rest) ?? { fault: `\${${root}} has no ${rest}` };
}

export function rootOf(name: string): string {
  const dot = name.indexOf(".");
  return dot === -1 ? name : name.slice(0, dot);
}

/** Text from the command line in the place of a number or a truth value of the file's is one too. */
function typed(text: string, own: unknown): unknown {
  if (typeof own === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  if (typeof own === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
