import type * as z from "zod/mini";
import { INVALID_QUERY_MESSAGE, invalid, type Refusal } from "../../core/schema/errors.js";
import { check, issueMessage, issuePath } from "../../core/schema/issues.js";
import { nearest } from "../../core/schema/nearest.js";
import { PAYIN_LIMIT_DEFAULT } from "../../core/schema/requests.js";

/** Checks the query of a URL by a schema of strings. A repeated parameter is refused, an unknown one only if `isStray` says so. */
export function readQuery<T extends Record<string, unknown>>(
  schema: z.ZodMiniObject & z.ZodMiniType<T>,
  url: string,
  isStray: (name: string) => boolean = () => false,
): { readonly query: T } | Refusal {
  const mark = url.indexOf("?");
  if (mark === -1) {
    const empty = check<T>(schema, {});
    if (empty.ok) return { query: empty.data };
  }
  const parameters = new URLSearchParams(mark === -1 ? "" : url.slice(mark + 1));
  const details = new Map<string, string>();
  const values: Record<string, string> = {};
  const known = Object.keys(schema.shape);
  for (const name of parameters.keys())
    if (!known.includes(name) && isStray(name)) details.set(name, strayParameter(name, known));
  for (const name of known) {
    const all = parameters.getAll(name);
    if (all.length > 1) details.set(name, "must be given once");
    else if (all.length === 1) values[name] = all[0]!;
  }
  const checked = check<T>(schema, values);
  if (!checked.ok)
    for (const issue of checked.issues)
      if (!details.has(issuePath(issue))) details.set(issuePath(issue), issueMessage(issue));
  if (details.size > 0) return invalid(Object.fromEntries(details), INVALID_QUERY_MESSAGE);
  return { query: (checked as { data: T }).data };
}

function strayParameter(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return `is not a known parameter${near === undefined ? `; known: ${known.join(", ")}` : `; did you mean ${near}?`}`;
}

/** `limit` and `offset` of a list, with their defaults. */
export function pageOf({ limit, offset }: { limit?: string | undefined; offset?: string | undefined }) {
  return {
    limit: limit === undefined ? PAYIN_LIMIT_DEFAULT : Number(limit),
    offset: offset === undefined ? 0 : Number(offset),
  };
}
