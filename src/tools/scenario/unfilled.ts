import type { Path } from "./variables.js";
import type { Warning } from "./warnings.js";

/** How other tools write a variable. */
const OTHERS = /\{\{\s*([A-Za-z_][\w-]*)\s*\}\}|(?<!\$)\$([A-Za-z_][\w-]*)/g;

/** Texts that name a variable there is as it is not written here: they are taken as they stand. */
export function unfilled(value: unknown, names: ReadonlySet<string>, path: Path = []): Warning[] {
  if (typeof value === "string")
    return [...value.matchAll(OTHERS)].flatMap(([written, inBraces, bare]) => {
      const name = inBraces ?? bare ?? "";
      const message = `${written} is taken as it stands: the variable is written \${${name}}`;
      return names.has(name) ? [{ path, message }] : [];
    });
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    unfilled(part, names, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}
