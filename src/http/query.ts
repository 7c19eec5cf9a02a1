import type * as z from "zod/mini";
import { INVALID_QUERY_MESSAGE, invalid, isRefusal, type Refusal } from "../schema/errors.js";
import { check, issueMessage, issuePath } from "../schema/issues.js";
import { PAYIN_LIMIT_DEFAULT, pageQuerySchema } from "../schema/requests.js";

/** The query of a URL against a schema of strings. Unknown parameters are ignored; a known one may come once. */
export function readQuery<T extends Record<string, unknown>>(
  schema: z.ZodMiniObject & z.ZodMiniType<T>,
  url: string,
): { readonly query: T } | Refusal {
  const mark = url.indexOf("?");
  if (mark === -1) {
    const empty = check<T>(schema, {});
    if (empty.ok) return { query: empty.data };
  }
  const parameters = new URLSearchParams(mark === -1 ? "" : url.slice(mark + 1));
  const details = new Map<string, string>();
  const values: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
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

/** `limit` and `offset` of a list, with their defaults. */
export function readPage(url: string): { readonly limit: number; readonly offset: number } | Refusal {
  const read = readQuery(pageQuerySchema, url);
  return isRefusal(read) ? read : pageOf(read.query);
}

export function pageOf({ limit, offset }: { limit?: string | undefined; offset?: string | undefined }) {
  return {
    limit: limit === undefined ? PAYIN_LIMIT_DEFAULT : Number(limit),
    offset: offset === undefined ? 0 : Number(offset),
  };
}
