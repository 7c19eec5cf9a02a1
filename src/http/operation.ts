import type * as z from "zod/mini";
import { invalid, isRefusal, type Refusal } from "../schema/errors.js";
import { check, issueDetails } from "../schema/issues.js";
import { readQuery } from "./query.js";

/**
 * One row says everything about a call but its work: where it is, what it takes, what it answers. The row checks the
 * request and types what the handler gets of it. The service's own and the control API's add what they have besides.
 */
export interface Row<Query, Body> {
  /** Stable name, also in OpenAPI, scenarios and the journal. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With parameters as `:name`. */
  readonly path: string;
  readonly query?: z.ZodMiniObject & z.ZodMiniType<Query>;
  /** What is sent must be of this shape. Without a body in its row, a call does not look at what is sent along. */
  readonly body?: z.ZodMiniType<Body>;
  /** A body that the command checks itself: fixtures have a say in it, and one answer names every fault. */
  readonly rawBody?: z.ZodMiniType;
  /** Shows what time brings: what is due by now happens first. */
  readonly reads?: true;
}

/** A row as far as it is the entry of an OpenAPI document. */
export interface DescribedRow<Words extends CallWords = CallWords> extends Row<unknown, unknown> {
  /** The named schema of what it answers. */
  readonly answer: string;
  /** Read by what makes the OpenAPI documents alone; the build leaves it out. */
  readonly says: Words;
}

/** What a document says of a call beyond what its row shows. */
export interface CallWords {
  readonly tag: string;
  readonly summary: string;
  readonly about: string;
  /** What is assumed of it, where the interface does not say. */
  readonly assumed?: string;
}

/** What a request asks, checked. */
export interface Asked<Query, Body> {
  readonly query: Query;
  readonly body: Body;
}

/** A request against its row; `isStray` as in `readQuery`. */
export function readAsked(
  { query, body }: Row<unknown, unknown>,
  url: string,
  sent: Record<string, unknown>,
  isStray?: (name: string) => boolean,
): Asked<unknown, unknown> | Refusal {
  const asked = query === undefined ? NOTHING : readQuery(query, url, isStray);
  if (isRefusal(asked)) return asked;
  if (body === undefined) return { query: asked.query, body: sent };
  const checked = check(body, sent);
  return checked.ok
    ? { query: asked.query, body: checked.data }
    : invalid(issueDetails(checked.issues, body));
}

const NOTHING = { query: undefined } as const;
