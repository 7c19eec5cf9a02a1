import { INTERNAL_ERROR, type Refusal, refuse } from "../../core/schema/errors.js";
import { NO_ROOM } from "../../core/schema/no-room.js";
import { tooLarge } from "../http/body.js";
import { INVALID_KEY, NO_ORGANIZATION, overLimit, READ_ONLY_KEY } from "../service/admit.js";
import type { Operation } from "../service/operation.js";
import { json } from "./described.js";
import { ASSUMPTION, type Json } from "./document.js";
import { ALWAYS, HINT, headerRefs, KEYED } from "./headers.js";
import { ref } from "./schemas.js";
import type { Examples, PlayedCall } from "./story.js";

/** An answer with the service's error body. */
function errorResponse(
  description: string,
  assumed: string,
  headers: readonly string[],
  examples: Examples,
): Json {
  return {
    description,
    [ASSUMPTION]: assumed,
    headers: headerRefs(headers),
    content: json(ref("Error"), examples),
  };
}

/** A refusal as it is sent; its code may have a name of the user's own. */
function sent({ code, message }: Refusal): Json {
  return { error: { code: `{{code ${code}}}`, message } };
}

type SharedResponse =
  | "Unauthorized"
  | "Forbidden"
  | "TooLarge"
  | "RateLimited"
  | "InternalError"
  | "NoMemory";

/** The refusals that are the same wherever they occur. */
export function sharedResponses(): Readonly<Record<SharedResponse, Json>> {
  return {
    Unauthorized: errorResponse(
      "The API key is missing, unknown or not a bearer token",
      "A missing key and another scheme get the same response as an invalid key.",
      [...ALWAYS, HINT],
      { "invalid key": sent(INVALID_KEY) },
    ),
    Forbidden: errorResponse(
      "The key may not do this, or the Host header is not this server's",
      "When there is no permission, and the error code: the interface has the status alone.",
      [...KEYED, HINT],
      { "read-only key": sent(READ_ONLY_KEY) },
    ),
    TooLarge: errorResponse(
      "The body is larger than 1 MiB",
      "The limit, the status and the error code.",
      [...KEYED, HINT],
      {
        "too large": sent(tooLarge()),
      },
    ),
    RateLimited: errorResponse(
      "More requests than the key may make per minute",
      "The error code and the headers.",
      [...KEYED, "Retry-After", HINT],
      { "limit exceeded": sent(overLimit(100, 17)) },
    ),
    InternalError: errorResponse("Internal error; try again later", "The error code.", ALWAYS, {
      "internal error": sent(INTERNAL_ERROR),
    }),
    NoMemory: errorResponse(
      "The sandbox is out of memory and accepts no changes",
      "All of it.",
      [...ALWAYS, "Retry-After"],
      {
        "no memory": sent(NO_ROOM),
      },
    ),
  };
}

/** Everything a call refuses with, by status. */
export function errorResponses(row: Operation, { answers }: PlayedCall): Record<string, Json> {
  const keyed = row.key !== "none";
  const hasBody = row.body !== undefined || row.rawBody !== undefined;
  const shared = (name: SharedResponse) => ({ $ref: `#/components/responses/${name}` });
  return {
    ...(hasBody || row.query !== undefined ? { 400: invalid(hasBody, answers[400]) } : {}),
    ...(keyed ? { 401: shared("Unauthorized") } : {}),
    403: shared("Forbidden"),
    404: missing(keyed, row.says.missing, answers[404]),
    ...(hasBody ? { 413: shared("TooLarge") } : {}),
    ...(row.headers?.includes("Idempotency-Key") ? { 422: reused(answers[422]) } : {}),
    429: shared("RateLimited"),
    500: shared("InternalError"),
    ...(row.method === "GET" ? {} : { 503: shared("NoMemory") }),
  };
}

function invalid(hasBody: boolean, examples: Examples = {}): Json {
  return hasBody
    ? errorResponse(
        "The body is not valid; `details` lists the fields",
        "Another content type, broken JSON and a body that is no object: `details.body`. Unknown fields are ignored.",
        [...KEYED, HINT],
        examples,
      )
    : errorResponse(
        "The query is not valid; `details` lists the parameters",
        "A parameter given twice is refused; unknown ones are ignored.",
        [...KEYED, HINT],
        examples,
      );
}

function missing(keyed: boolean, what: string | undefined, examples: Examples = {}): Json {
  const reasons = [
    ...(what === undefined ? [] : [`there is no such ${what} in the organization and mode of the key`]),
    ...(keyed ? ["the organization is deactivated"] : []),
    "the header Sandbox-Namespace names an unknown namespace",
  ].join("; or ");
  return errorResponse(
    reasons[0]!.toUpperCase() + reasons.slice(1),
    "Namespaces are the sandbox's own. That every keyed call of a deactivated organization is refused, not balances alone.",
    [...(keyed ? KEYED : ALWAYS), HINT],
    {
      ...examples,
      ...(keyed ? { "no organization": sent(NO_ORGANIZATION) } : {}),
      "no namespace": sent(refuse("NOT_FOUND", 'There is no namespace "nightly"')),
    },
  );
}

function reused(examples: Examples = {}): Json {
  return errorResponse(
    "The Idempotency-Key was used with another body",
    "The status and the error code.",
    [...KEYED, HINT],
    examples,
  );
}
