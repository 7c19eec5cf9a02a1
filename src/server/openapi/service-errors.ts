import { limitReached } from "../../core/engine/commands/charge-commands.js";
import { INTERNAL_ERROR, type Refusal, refuse, refuseInvalid } from "../../core/schema/refusals.js";
import { bodyTooLargeRefusal } from "../http/body.js";
import { bodySchema, querySchema } from "../http/operation-row.js";
import {
  INVALID_KEY_REFUSAL,
  ORGANIZATION_NOT_FOUND,
  READ_ONLY_KEY_REFUSAL,
  rateLimitRefusal,
} from "../service/admit.js";
import type { Operation } from "../service/operation.js";
import { ASSUMPTION_KEY, type OpenApiJson } from "./document.js";
import type { CallExamples, NamedExamples } from "./example-recorder.js";
import { COMMON_HEADERS, HINT_HEADER, headerRefs, RATE_LIMITED_HEADERS } from "./headers.js";
import { jsonContent } from "./operation-object.js";
import { schemaRef } from "./schemas.js";

const KEYED_HEADERS = [...RATE_LIMITED_HEADERS, HINT_HEADER];

function errorResponse(
  description: string,
  assumed: string,
  examples: NamedExamples,
  headers: readonly string[] = KEYED_HEADERS,
): OpenApiJson {
  return {
    description,
    [ASSUMPTION_KEY]: assumed,
    headers: headerRefs(headers),
    content: jsonContent(schemaRef("ApiError"), examples),
  };
}

/** The body of a refusal; `error_codes` may rename its code. */
function errorBody({ code, message, details }: Refusal): OpenApiJson {
  const error = { code: `{{code ${code}}}`, message };
  return { error: details === undefined ? error : { ...error, details } };
}

export function sharedResponses() {
  return {
    Unauthorized: errorResponse(
      "The API key is missing, unknown or not a bearer token",
      "A missing key and another scheme get the same response as an invalid key.",
      { "invalid key": errorBody(INVALID_KEY_REFUSAL) },
      [...COMMON_HEADERS, HINT_HEADER],
    ),
    Forbidden: errorResponse(
      "The key may not do this, or the Host header is not this server's",
      "When there is no permission, and the error code: the interface has the status alone.",
      { "read-only key": errorBody(READ_ONLY_KEY_REFUSAL) },
    ),
    TooLarge: errorResponse("The body is larger than 1 MiB", "The limit, the status and the error code.", {
      "too large": errorBody(bodyTooLargeRefusal()),
    }),
    RateLimited: errorResponse(
      "More requests than the key may make per minute",
      "The error code and the headers.",
      { "limit exceeded": errorBody(rateLimitRefusal(100, 17)) },
      [...RATE_LIMITED_HEADERS, "Retry-After", HINT_HEADER],
    ),
    InternalError: errorResponse(
      "Internal error; try again later",
      "The error code.",
      { "internal error": errorBody(INTERNAL_ERROR) },
      COMMON_HEADERS,
    ),
    ServerError: errorResponse(
      "Any other server error, which a fault of the sandbox or a proxy may give",
      "All of it.",
      { "forced by a fault": errorBody(INTERNAL_ERROR) },
      COMMON_HEADERS,
    ),
    LimitReached: errorResponse(
      "The namespace holds as many charges as the setting `limits.charges` allows",
      "All of it.",
      { "limit reached": errorBody(limitReached(200_000, 200_000)) },
      COMMON_HEADERS,
    ),
  };
}

const CREATES_CHARGES: readonly string[] = ["createCheckout", "createWhitelabel"];

export function errorResponses(row: Operation, { responses }: CallExamples): Record<string, OpenApiJson> {
  const keyed = row.key !== "none";
  const hasBody = bodySchema(row) !== undefined;
  const shared = (name: keyof ReturnType<typeof sharedResponses>) => ({
    $ref: `#/components/responses/${name}`,
  });
  return {
    400: invalidInput(row, responses[400]),
    ...(keyed ? { 401: shared("Unauthorized") } : {}),
    403: shared("Forbidden"),
    404: notFound(row.key === "required", row.notFound, responses[404]),
    ...(hasBody ? { 413: shared("TooLarge") } : {}),
    ...(row.headers?.includes("Idempotency-Key") ? { 422: reusedKey(responses[422]) } : {}),
    429: shared("RateLimited"),
    500: shared("InternalError"),
    ...(CREATES_CHARGES.includes(row.id) ? { 507: shared("LimitReached") } : {}),
    "5XX": shared("ServerError"),
  };
}

function invalidInput(row: Operation, examples: NamedExamples = UNKNOWN_SCENARIO_EXAMPLE): OpenApiJson {
  if (bodySchema(row) !== undefined)
    return errorResponse(
      "The body is not valid; `details` lists the fields",
      "Another content type, broken JSON and a body that is no object: `details.body`. Unknown fields are ignored.",
      examples,
    );
  const unknownScenario = "the header Sandbox-Scenario names an unknown scenario";
  return querySchema(row) === undefined
    ? errorResponse(`T${unknownScenario.slice(1)}`, "Scenarios are the sandbox's own.", examples)
    : errorResponse(
        `The query is not valid, \`details\` lists the parameters; or ${unknownScenario}`,
        "A parameter given twice is refused; unknown ones are ignored.",
        examples,
      );
}

const UNKNOWN_SCENARIO_EXAMPLE = {
  "unknown scenario": errorBody(
    refuseInvalid({ sandbox_scenario: 'there is no scenario "declind"; known: declined, default, success' }),
  ),
};

function notFound(needsKey: boolean, what: string | undefined, examples: NamedExamples = {}): OpenApiJson {
  const reasons = [
    ...(what === undefined ? [] : [`there is no such ${what} in the organization and mode of the key`]),
    ...(needsKey ? ["the organization is deactivated"] : []),
    "the header Sandbox-Namespace names an unknown namespace",
  ].join("; or ");
  return errorResponse(
    reasons[0]!.toUpperCase() + reasons.slice(1),
    needsKey
      ? "Namespaces are the sandbox's own. That a deactivated organization is refused every call that needs a key, not balances alone."
      : "Namespaces are the sandbox's own.",
    {
      ...examples,
      ...(needsKey ? { "no organization": errorBody(ORGANIZATION_NOT_FOUND) } : {}),
      "no namespace": errorBody(refuse("NOT_FOUND", 'There is no namespace "nightly"')),
    },
    needsKey ? KEYED_HEADERS : [...COMMON_HEADERS, HINT_HEADER],
  );
}

function reusedKey(examples: NamedExamples = {}): OpenApiJson {
  return errorResponse(
    "The Idempotency-Key was used with another body",
    "The status and the error code.",
    examples,
  );
}
