import { INVALID_BODY_MESSAGE, INVALID_QUERY_MESSAGE } from "../../schema/errors.js";
import type { Operation } from "../service/operation.js";
import type { Facts } from "./facts.js";
import { ALWAYS, headerRefs, KEYED } from "./headers.js";
import type { ErrorExample, OperationDoc } from "./operation-doc.js";
import { ref } from "./schemas.js";
import { ASSUMPTION, type Json } from "./types.js";

/** An answer with the service's error body. */
function errorResponse(
  facts: Facts,
  description: string,
  headers: readonly string[],
  examples: Readonly<Record<string, ErrorExample>>,
  assumed?: string,
): Json {
  return {
    description,
    ...(assumed === undefined ? {} : { [ASSUMPTION]: assumed }),
    headers: headerRefs(headers),
    content: {
      "application/json": {
        schema: ref("Error"),
        examples: Object.fromEntries(
          Object.entries(examples).map(([name, error]) => [
            exampleName(name),
            { summary: name, value: { error: renamed(facts, error) } },
          ]),
        ),
      },
    },
  };
}

/** Under the name the user gave the code, if any (contract section 9: error_codes). */
function renamed({ settings }: Facts, error: ErrorExample): ErrorExample {
  return { ...error, code: settings.error_codes[error.code] ?? error.code };
}

/** Names of examples are keys of the document: no spaces in them. */
export function exampleName(summary: string): string {
  return summary.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "");
}

/** The refusals that are the same wherever they occur. */
export function sharedResponses(facts: Facts): Readonly<Record<SharedResponse, Json>> {
  return {
    Unauthorized: errorResponse(
      facts,
      "The API key is missing, unknown or no bearer token",
      ALWAYS,
      { "invalid key": { code: "UNAUTHORIZED", message: "Invalid API key" } },
      "A missing key and another scheme are answered like an invalid key.",
    ),
    Forbidden: errorResponse(
      facts,
      "The key may not do this, or the request names a host that is not this server's",
      KEYED,
      { "read-only key": { code: "FORBIDDEN", message: "This API key may only read" } },
      "When there is no permission, and the error code: the interface has the status alone.",
    ),
    TooLarge: errorResponse(
      facts,
      "The body is larger than 1 MiB",
      KEYED,
      { "too large": { code: "PAYLOAD_TOO_LARGE", message: "The request body is larger than 1 MiB" } },
      "The limit, the status and the error code.",
    ),
    RateLimited: errorResponse(
      facts,
      "More requests than the key may make in a minute",
      [...KEYED, "Retry-After"],
      {
        "limit exceeded": { code: "RATE_LIMIT_EXCEEDED", message: "Rate limit exceeded. Try again in 17 s." },
      },
      "The error code and the headers.",
    ),
    InternalError: errorResponse(
      facts,
      "Something went wrong inside; try again later",
      ALWAYS,
      { "internal error": { code: "INTERNAL_ERROR", message: "Internal error" } },
      "The error code.",
    ),
  };
}

type SharedResponse = "Unauthorized" | "Forbidden" | "TooLarge" | "RateLimited" | "InternalError";

const NO_NAMESPACE: ErrorExample = { code: "NOT_FOUND", message: 'There is no namespace "nightly"' };
const NO_ORGANIZATION: ErrorExample = { code: "NOT_FOUND", message: "Organization not found" };

/** Everything an operation refuses with, by status. */
export function errorResponses(facts: Facts, operation: Operation, doc: OperationDoc): Record<string, Json> {
  const keyed = operation.key !== "none";
  const shared = (name: SharedResponse) => ({ $ref: `#/components/responses/${name}` });
  return {
    ...invalidResponse(facts, doc),
    ...(keyed ? { 401: shared("Unauthorized") } : {}),
    403: shared("Forbidden"),
    404: missingResponse(facts, keyed, doc.missing),
    ...(doc.body === undefined ? {} : { 413: shared("TooLarge") }),
    ...(doc.headers?.includes("Idempotency-Key") ? { 422: reusedResponse(facts) } : {}),
    ...(keyed ? { 429: shared("RateLimited") } : {}),
    500: shared("InternalError"),
  };
}

function invalidResponse(facts: Facts, { body, query, invalid }: OperationDoc): Record<string, Json> {
  if (body === undefined && query === undefined) return {};
  const examples: Record<string, ErrorExample> = { ...invalid };
  if (body !== undefined)
    examples["broken JSON"] = {
      code: "VALIDATION_ERROR",
      message: INVALID_BODY_MESSAGE,
      details: { body: "is not valid JSON" },
    };
  if (query !== undefined && invalid === undefined)
    examples["offset out of range"] = {
      code: "VALIDATION_ERROR",
      message: INVALID_QUERY_MESSAGE,
      details: { offset: "must be non-negative" },
    };
  const description =
    body === undefined
      ? "The query is not valid; `details` says which parameters"
      : "The body is not valid; `details` says which fields";
  const assumed =
    body === undefined
      ? "A parameter given twice is refused; unknown ones are ignored."
      : "Another content type, broken JSON and a body that is no object: `details.body`. Unknown fields are ignored.";
  return { 400: errorResponse(facts, description, KEYED, examples, assumed) };
}

function missingResponse(facts: Facts, keyed: boolean, missing: string | undefined): Json {
  const what = [
    ...(missing === undefined ? [] : [missing]),
    ...(keyed ? ["the organization is deactivated"] : []),
    "the header Sandbox-Namespace names none there is",
  ].join("; or ");
  return errorResponse(
    facts,
    what[0]!.toUpperCase() + what.slice(1),
    keyed ? KEYED : ALWAYS,
    {
      ...(keyed ? { "no organization": NO_ORGANIZATION } : {}),
      "no namespace": NO_NAMESPACE,
    },
    "Namespaces are the sandbox's own. That every keyed call of a deactivated organization is refused, not balances alone.",
  );
}

function reusedResponse(facts: Facts): Json {
  return errorResponse(
    facts,
    "The Idempotency-Key was used with another body",
    KEYED,
    {
      "another body": {
        code: "IDEMPOTENCY_KEY_REUSED",
        message: "This Idempotency-Key was used with another request body",
      },
    },
    "The status and the error code.",
  );
}
