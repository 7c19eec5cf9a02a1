import {
  ERROR_STATUS,
  type ErrorCode,
  INTERNAL_ERROR,
  INVALID_QUERY_MESSAGE,
  type Refusal,
  refuse,
  refuseInvalid,
  STORAGE_AWAY,
} from "../../core/schema/refusals.js";
import type { ControlRow } from "../control/control-operation.js";
import { TOO_MANY_WAITS } from "../control/wait.js";
import { bodyTooLargeRefusal } from "../http/body.js";
import { CROSS_ORIGIN_MESSAGE } from "../http/hosts.js";
import { querySchema } from "../http/operation-row.js";
import { errorReply } from "../http/reply.js";
import type { OpenApiJson } from "./document.js";
import type { NamedExamples } from "./example-recorder.js";
import { COMMON_HEADERS, headerRefs } from "./headers.js";
import { jsonContent } from "./operation-object.js";
import { schemaRef } from "./schemas.js";

const DESCRIPTION_BY_STATUS: Readonly<Record<number, string>> = {
  400: "The request is not valid; `details` lists what is wrong",
  403: "This host or page is not allowed, or the control token is missing",
  404: "The object in the path, or the namespace in the header Sandbox-Namespace, does not exist",
  408: "Nothing matched in time; `details` has the nearest match",
  409: "Conflicts with the current state",
  413: "The body is too large",
  429: "Too many pending waits",
  500: "Internal error",
  503: "Out of memory: no changes are accepted",
};

const INVALID_JSON = refuseInvalid({ body: "must be a JSON object" });
const BAD_LIMIT = refuseInvalid({ limit: "must be between 1 and 100" }, INVALID_QUERY_MESSAGE);
const BAD_WAIT = refuseInvalid(
  { wait: "must be a duration such as 500ms, 30s, 10m, 2h, 1d or 1h30m" },
  INVALID_QUERY_MESSAGE,
);
const NO_NAMESPACE = refuse("NOT_FOUND", 'There is no namespace "nightly"');
const NO_TOKEN = refuse("FORBIDDEN", "The control API needs the header Sandbox-Control-Token");
const OTHER_HOST = 'This server does not serve the host "evil.test"; see --allowed-host';
const BUSY = "The clock is being advanced. Try again when it has finished, or pass ?wait=10s.";

/** Refusals that a call has in common with other calls, by example name. */
function sharedByCalls(row: ControlRow, isInNamespace: boolean): Readonly<Record<string, Refusal>> {
  return {
    ...(row.call.startsWith("GET ") ? {} : { "no JSON object": INVALID_JSON }),
    ...(querySchema(row) === undefined ? {} : { "limit out of range": BAD_LIMIT }),
    ...(row.canWaitForClock
      ? { "no duration": BAD_WAIT, "advance under way": refuse("CLOCK_BUSY", BUSY) }
      : {}),
    "another host": refuse("FORBIDDEN", OTHER_HOST),
    ...(isInNamespace
      ? {
          "no token": NO_TOKEN,
          "another site": refuse("FORBIDDEN", CROSS_ORIGIN_MESSAGE),
          "no namespace": NO_NAMESPACE,
        }
      : {}),
    ...(row.errors?.includes(TOO_MANY_WAITS.code) ? { "too many": TOO_MANY_WAITS } : {}),
  };
}

/** All errors of a control operation by status. Only refusals that calls have in common get examples. */
export function controlErrorResponses(row: ControlRow, isInNamespace: boolean): Record<string, OpenApiJson> {
  const refusals = sharedByCalls(row, isInNamespace);
  const codes = new Set([...Object.values(refusals).map(({ code }) => code), ...(row.errors ?? [])]);
  const found: Record<string, OpenApiJson> = {};
  for (const code of codes) {
    const status = errorStatus(code);
    const same = Object.entries(refusals).filter(([, one]) => errorStatus(one.code) === status);
    found[status] ??= errorResponse(
      status,
      [...codes].filter((one) => errorStatus(one) === status),
      Object.fromEntries(same.map(([name, one]) => [name, errorBody(one)])),
    );
  }
  const shared = (name: string) => ({ $ref: `#/components/responses/${name}` });
  return {
    ...found,
    ...(row.call.startsWith("GET ") ? {} : { 413: shared("TooLarge"), 503: shared("StorageAway") }),
    500: shared("InternalError"),
  };
}

export function sharedControlResponses(): Readonly<Record<string, OpenApiJson>> {
  return {
    TooLarge: errorResponse(413, ["PAYLOAD_TOO_LARGE"], { "too large": errorBody(bodyTooLargeRefusal()) }),
    InternalError: errorResponse(500, ["INTERNAL_ERROR"], { "internal error": errorBody(INTERNAL_ERROR) }),
    StorageAway: errorResponse(503, ["STORAGE_AWAY"], {
      "database away": errorBody(STORAGE_AWAY),
    }),
  };
}

/** Returns 409 for an insufficient balance in the control API; the service returns 400. */
function errorStatus(code: ErrorCode): number {
  return code === "INSUFFICIENT_BALANCE" ? 409 : ERROR_STATUS[code];
}

function errorBody(refusal: Refusal): unknown {
  return JSON.parse(errorReply(refusal).json);
}

function errorResponse(status: number, codes: readonly ErrorCode[], examples: NamedExamples): OpenApiJson {
  const error = { allOf: [schemaRef("ErrorInfo"), { properties: { code: { enum: codes } } }] };
  return {
    description: DESCRIPTION_BY_STATUS[status],
    headers: headerRefs(COMMON_HEADERS),
    content: jsonContent({ type: "object", required: ["error"], properties: { error } }, examples),
  };
}
