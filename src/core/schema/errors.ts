/** Every error code the service and the control API can answer with, and its HTTP status. */
export const ERROR_STATUS = {
  VALIDATION_ERROR: 400,
  INSUFFICIENT_BALANCE: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  WAIT_TIMEOUT: 408,
  INVALID_TRANSITION: 409,
  CLOCK_BUSY: 409,
  NAMESPACE_EXISTS: 409,
  NAMESPACE_LEASED: 409,
  PAYLOAD_TOO_LARGE: 413,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
} as const;
/** What kind of error it is. */
export type ErrorCode = keyof typeof ERROR_STATUS;

/** Map of dotted field path to message text (specification: Error object). */
export type ErrorDetails = Record<string, string>;

/**
 * A refusal is a value, not an exception: what the caller did wrong, in the service's error shape.
 * `status` is only there where it differs from the code's usual one (a refund that lacks funds is a 409).
 */
export interface Refusal {
  readonly refused: true;
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: ErrorDetails;
  readonly status?: number;
}

export function refuse(code: ErrorCode, message: string, details?: ErrorDetails, status?: number): Refusal {
  return {
    refused: true,
    code,
    message,
    ...(details === undefined ? {} : { details }),
    ...(status === undefined ? {} : { status }),
  };
}

/** What is said of a fault of ours. */
export const INTERNAL_ERROR = refuse("INTERNAL_ERROR", "Internal error");

/** A refusal in one line: what it says, its code, and each field with what is wrong with it. */
export function refusalText({
  message,
  code,
  details = {},
}: {
  readonly message: string;
  readonly code: string;
  readonly details?: Readonly<ErrorDetails> | undefined;
}): string {
  const fields = Object.entries(details).map(([field, fault]) => `${field} ${fault}`);
  return [`${message} (${code})`, ...fields].join("; ");
}

export const INVALID_BODY_MESSAGE = "Invalid request parameters";
export const INVALID_QUERY_MESSAGE = "Invalid query parameters";

/** A 400 of the service with the fields at fault. */
export function invalid(details: ErrorDetails, message: string = INVALID_BODY_MESSAGE): Refusal {
  return refuse("VALIDATION_ERROR", message, details);
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && (value as { refused?: unknown }).refused === true;
}
