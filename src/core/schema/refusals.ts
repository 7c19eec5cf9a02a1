/** Error codes of the service and the control API, with their HTTP status. */
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
  STORAGE_AWAY: 503,
  LIMIT_REACHED: 507,
} as const;
/** An error code of the service or the control API. */
export type ErrorCode = keyof typeof ERROR_STATUS;

/** Dotted field path → message (specification: Error object). */
export type ErrorDetails = Record<string, string>;

/** Marks refusals. JSON from a client cannot contain a symbol, so no request can pass for a refusal. */
const REFUSAL: unique symbol = Symbol.for("payments-sandbox.refusal");

/** A client error, returned and never thrown. `status` overrides that of `code`: a refund without funds is 409. */
export interface Refusal {
  readonly [REFUSAL]: true;
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: ErrorDetails;
  readonly status?: number;
}

export function refuse(code: ErrorCode, message: string, details?: ErrorDetails, status?: number): Refusal {
  return {
    [REFUSAL]: true,
    code,
    message,
    ...(details === undefined ? {} : { details }),
    ...(status === undefined ? {} : { status }),
  };
}

export const INTERNAL_ERROR = refuse("INTERNAL_ERROR", "Internal error");

/** Formats a refusal as one line: message, code, and each field with its error. */
export function refusalText({
  message,
  code,
  details = {},
}: {
  readonly message: string;
  readonly code: string;
  readonly details?: Readonly<ErrorDetails> | undefined;
}): string {
  const fields = Object.entries(details).map(([field, error]) =>
    code === "INVALID_TRANSITION" ? error : `${field} ${error}`,
  );
  return [`${message.replace(/\.$/, "")} (${code})`, ...fields].join("; ");
}

export const INVALID_BODY_MESSAGE = "Invalid request parameters";
export const INVALID_QUERY_MESSAGE = "Invalid query parameters";

export function refuseInvalid(details: ErrorDetails, message: string = INVALID_BODY_MESSAGE): Refusal {
  return refuse("VALIDATION_ERROR", message, details);
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && REFUSAL in value;
}

/** A refusal of the sandbox, thrown by the library's methods. */
export class SandboxError extends Error {
  /** Name for programs that cannot use `instanceof`. */
  override readonly name = "SandboxError";
  /** The error code, as in a response body. */
  readonly code: ErrorCode;
  /** Dotted field → message; undefined if no field is at fault. */
  readonly details: Readonly<Record<string, string>> | undefined;

  /** @internal */
  readonly refusal: Refusal;

  /** @internal `subject` is the refused call or object, for the message. */
  constructor(refusal: Refusal, subject?: string) {
    super(refusalText(refusal) + (subject === undefined ? "" : `: ${subject}`));
    this.refusal = refusal;
    this.code = refusal.code;
    this.details = refusal.details;
  }
}

export const STORAGE_AWAY: Refusal = refuse(
  "STORAGE_AWAY",
  "The sandbox cannot reach its database now. If the call was under way, it may have been carried out; look before you repeat it without an Idempotency-Key.",
);

/** A change was not made because a limit is reached. */
export class LimitReachedError extends Error {
  override readonly name = "LimitReached";

  constructor(readonly refusal: Refusal) {
    super(refusal.message);
  }
}

/** The database does not answer, or another process now runs the namespace. Not reported for each call. */
export class StorageUnavailableError extends Error {
  override readonly name = "StorageUnavailable";
  readonly refusal = STORAGE_AWAY;
}
