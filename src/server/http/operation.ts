import type * as z from "zod/mini";
import { invalid, isRefusal, type Refusal } from "../../core/schema/errors.js";
import { check, issueDetails } from "../../core/schema/issues.js";
import { readQuery } from "./query.js";

/** An operation without its handler: route, input schemas and response. Operations of the service and of the control API extend it. */
export interface Row<Query, Body> {
  /** Stable, also in OpenAPI, scenarios and the journal. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With parameters as `:name`. */
  readonly path: string;
  readonly query?: z.ZodMiniObject & z.ZodMiniType<Query>;
  /** The schema of the body. Without one, the body is ignored. */
  readonly body?: z.ZodMiniType<Body>;
  /** The schema of a body that the command checks together with the fixtures, so that one response names every error. */
  readonly rawBody?: z.ZodMiniType;
  /** Runs due tasks before the handler. */
  readonly reads?: true;
}

/** A row with its entry in an OpenAPI document. */
export interface DescribedRow<Words extends CallWords = CallWords> extends Row<unknown, unknown> {
  /** The name of the response schema. */
  readonly answer: string;
  /** For the OpenAPI documents; left out of the build. */
  readonly says: Words;
}

/** Text of the OpenAPI document. */
export interface CallWords {
  readonly tag: string;
  readonly summary: string;
  readonly about: string;
  /** Assumptions where the interface does not say. */
  readonly assumed?: string;
}

/** A checked query and body. */
export interface Asked<Query, Body> {
  readonly query: Query;
  readonly body: Body;
}

/** Checks query and body by their row; `isStray` as in `readQuery`. */
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
