import { ERROR_STATUS, INVALID_BODY_MESSAGE, INVALID_QUERY_MESSAGE } from "../../../schema/errors.js";
import { OTHER_SITE } from "../../origin.js";
import { json } from "../document.js";
import { ALWAYS, headerRefs } from "../headers.js";
import type { Json } from "../json.js";
import { ref } from "../schemas.js";
import type { ControlDoc, ErrorExample } from "./doc.js";

/** A call as far as its refusals go. */
export interface Refusing {
  readonly method: string;
  /** Whether it is done in a namespace; the health of the server is not. */
  readonly isInNamespace: boolean;
  readonly doc: ControlDoc;
}

const BROKEN: ErrorExample = {
  code: "VALIDATION_ERROR",
  message: INVALID_BODY_MESSAGE,
  details: { body: "must be a JSON object" },
};
const BAD_QUERY: ErrorExample = {
  code: "VALIDATION_ERROR",
  message: INVALID_QUERY_MESSAGE,
  details: { limit: "must be between 1 and 100" },
};
const BAD_WAIT: ErrorExample = {
  ...BAD_QUERY,
  details: { wait: "must be a duration such as 500ms, 30s, 10m, 2h, 1d or 1h30m" },
};
const NO_TOKEN = "The control API needs the header Sandbox-Control-Token";
const OTHER_HOST = 'This server does not answer for the host "evil.test"; see --allowed-host';
const NO_NAMESPACE = 'There is no namespace "nightly"';
const BUSY = "The clock is being advanced. Try again when that is done, or pass ?wait=10s.";

/** Everything a control call refuses with, by status. */
export function controlErrors({ method, isInNamespace, doc }: Refusing): Record<string, Json> {
  const writes = method !== "GET";
  const invalid = {
    ...doc.invalid,
    ...(writes ? { "no JSON object": BROKEN } : {}),
    ...(doc.query === undefined ? {} : { "limit out of range": BAD_QUERY }),
    ...(doc.waits ? { "no duration": BAD_WAIT } : {}),
  };
  const missing = {
    ...(doc.missing === undefined ? {} : { "no such thing": doc.missing }),
    ...(isInNamespace ? { "no namespace": { code: "NOT_FOUND", message: NO_NAMESPACE } } : {}),
  };
  const conflicts = {
    ...doc.conflicts,
    ...(doc.waits ? { "advance under way": { code: "CLOCK_BUSY", message: BUSY } } : {}),
  };
  const forbidden = {
    "another host": { code: "FORBIDDEN", message: OTHER_HOST },
    ...(isInNamespace
      ? {
          "no token": { code: "FORBIDDEN", message: NO_TOKEN },
          "another site": { code: "FORBIDDEN", message: OTHER_SITE },
        }
      : {}),
    ...doc.forbidden,
  };
  return {
    ...refusals(400, "The request is not valid; `details` says what of it", invalid),
    ...refusals(403, "Not from there, or not without the control token", forbidden),
    ...refusals(404, "What the path or the header Sandbox-Namespace names is not there", missing),
    ...refusals(
      408,
      "It did not come in time; `details` has what came nearest",
      doc.timeout === undefined ? {} : { "too late": doc.timeout },
    ),
    ...refusals(409, "Not as things stand", conflicts),
    ...refusals(
      429,
      "So many calls wait already that no more are taken",
      doc.crowded === undefined ? {} : { "too many": doc.crowded },
    ),
    ...(writes ? { 413: { $ref: "#/components/responses/TooLarge" } } : {}),
    500: { $ref: "#/components/responses/InternalError" },
  };
}

/** The refusals that are the same wherever they occur. */
export function sharedRefusals(): Readonly<Record<string, Json>> {
  const { 413: TooLarge } = refusals(413, "The body is too large", {
    "too large": { code: "PAYLOAD_TOO_LARGE", message: "The request body is larger than 1 MiB" },
  });
  const { 500: InternalError } = refusals(500, "Something went wrong inside", {
    "internal error": { code: "INTERNAL_ERROR", message: "Internal error" },
  });
  return { TooLarge: TooLarge!, InternalError: InternalError! };
}

/** An answer with the error body, whose code is one of those of its examples. None without examples. */
function refusals(
  status: number,
  description: string,
  examples: Readonly<Record<string, ErrorExample>>,
): Record<string, Json> {
  const codes = [...new Set(Object.values(examples).map(({ code }) => code))];
  if (codes.length === 0) return {};
  for (const code of codes) if (!(code in ERROR_STATUS)) throw new Error(`there is no error code ${code}`);
  return {
    [status]: {
      description,
      headers: headerRefs(ALWAYS),
      content: json(
        {
          type: "object",
          required: ["error"],
          properties: { error: { allOf: [ref("ErrorInfo"), { properties: { code: { enum: codes } } }] } },
        },
        Object.fromEntries(Object.entries(examples).map(([name, error]) => [name, { error }])),
      ),
    },
  };
}
