import { isMatcher } from "../schema/matchers.js";
import { OPERATION_IDS, unknownOperation } from "../schema/operation-ids.js";
import { globMatches } from "./glob.js";

/** The names a field of a match can have, and what to say of another. */
interface KnownNames {
  readonly names: readonly string[];
  unknown(name: string): string;
}

/** Kind of rule → field of its match → the names there are. A field that is not here may say anything. */
const KNOWN = {
  faults: { operation: { names: OPERATION_IDS, unknown: unknownOperation } },
} as const satisfies Readonly<Record<string, Readonly<Record<string, KnownNames>>>>;

/** A name in a match that nothing has, so that it never matches. */
export interface UnknownName {
  /** Within the match. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The names in a rule's match that nothing has; a glob is known when it fits any. */
export function unknownNames(
  kind: keyof typeof KNOWN,
  match: Readonly<Record<string, unknown>>,
): UnknownName[] {
  const fields: Readonly<Record<string, KnownNames>> = KNOWN[kind];
  return Object.entries(fields).flatMap(([field, { names, unknown }]) => {
    return [...globsIn(match[field], [field])].flatMap(({ path, glob }) =>
      names.some((name) => globMatches(glob, name)) ? [] : [{ path, message: unknown(glob) }],
    );
  });
}

/** The globs in what a rule says of a field, and where they stand. */
function* globsIn(
  wanted: unknown,
  path: readonly (string | number)[],
): Generator<{ readonly path: readonly (string | number)[]; readonly glob: string }> {
  if (typeof wanted === "string") yield { path, glob: wanted };
  else if (Array.isArray(wanted))
    for (const [index, one] of wanted.entries()) yield* globsIn(one, [...path, index]);
  else if (isMatcher(wanted)) for (const word of ["not", "in"]) yield* globsIn(wanted[word], [...path, word]);
}
