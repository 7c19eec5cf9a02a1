import { createHash } from "node:crypto";
import { dirname, isAbsolute, join, relative } from "node:path";
import { isRecord } from "../files/documents.js";
import type { Flow } from "./flow.js";
import type { Schedule } from "./schedule.js";

/** Keeps files: a folder, and what writes a text there. */
export interface SaveTo {
  readonly folder: string;
  readonly write: (file: string, text: string) => void;
  /** A value as YAML. */
  readonly yamlOf: (value: unknown) => string;
}

interface Finding {
  readonly flow: Flow;
  readonly schedule: Schedule;
  readonly document: Readonly<Record<string, unknown>>;
  readonly vars: Readonly<Record<string, string>>;
  /** What is wrong, and what makes it so. */
  readonly says: string;
}

const LONGEST_NAME = 100;

/** What the scenario of a run is called: after the flow, and what goes otherwise in it. */
export function fileNameOf({ raw }: Flow, schedule: Schedule): string {
  const parts = schedule.map(({ kind, at }) => `${kind}.${at.replace(/[^A-Za-z0-9_.-]+/g, "-")}`);
  const name = [String(raw.name), ...parts].join(".");
  if (name.length <= LONGEST_NAME) return name;
  // What is cut off is what tells it from others.
  const ending = `.${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;
  return `${name.slice(0, LONGEST_NAME - ending.length)}${ending}`;
}

/** Writes the scenario file that shows a finding to whoever runs it; its path. */
export function saved({ folder, write, yamlOf }: SaveTo, finding: Finding): string {
  const { flow, schedule, document, vars, says } = finding;
  const name = fileNameOf(flow, schedule);
  const file = join(folder, `${name}.yaml`);
  const own = isRecord(document.vars) ? document.vars : {};
  const given = Object.fromEntries(Object.entries(vars).filter(([key]) => Object.hasOwn(own, key)));
  const { name: _name, description: _description, vars: _vars, ...rest } = document;
  const value = {
    name,
    description: says,
    ...(Object.keys(own).length === 0 ? {} : { vars: { ...own, ...given } }),
    ...(movedFrom(dirname(flow.file), folder, rest) as object),
  };
  write(file, yamlOf(value));
  return file;
}

/** What a file includes lies beside the flow, and not beside what is saved. */
function movedFrom(from: string, to: string, value: unknown, key = ""): unknown {
  if (key === "include" && typeof value === "string")
    return isAbsolute(value) ? value : relative(to, join(from, value));
  if (Array.isArray(value)) return value.map((part) => movedFrom(from, to, part, key));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, movedFrom(from, to, part, name)]),
  );
}
