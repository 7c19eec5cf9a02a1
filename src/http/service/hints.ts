import { type ErrorCode, type Refusal, refuse } from "../../schema/errors.js";

/** What to do about a refusal, by its code, for the header `Sandbox-Hint`: the body stays the service's own. */
const BY_CODE: Readonly<Partial<Record<ErrorCode, string>>> = {
  VALIDATION_ERROR: "Each field in error.details says what is wrong with it; /docs shows the whole request",
  INSUFFICIENT_BALANCE:
    "Complete a charge in that currency first, or begin with balances from a fixtures file",
  UNAUTHORIZED:
    "Send Authorization: Bearer KEY with a key of the sandbox, such as sk_test_sandbox; `payments-sandbox env` prints it",
  FORBIDDEN: "This key reads only; sk_test_sandbox may write",
  NOT_FOUND:
    "Ids belong to one organization, mode and namespace, and are gone after a reset; `payments-sandbox charges` lists them",
  METHOD_NOT_ALLOWED: "The header Allow has the methods of this path",
  PAYLOAD_TOO_LARGE: "Send less than 1 MiB",
  IDEMPOTENCY_KEY_REUSED:
    "Make a new Idempotency-Key for each new request; repeat one only with the same body",
  RATE_LIMIT_EXCEEDED: "Wait as long as Retry-After says, or start the sandbox with --rate-limit off",
};

/** More exactly, by the first field at fault that is here. */
const BY_FIELD: Readonly<Record<string, string>> = {
  body: "Send one JSON object with Content-Type: application/json",
  quote_id:
    "Make a new quote and use it within 30 s of sandbox time; the clock may have been moved past its end",
  "pricing.amount": 'Send amounts as text with the currency\'s decimals, such as "500.00"',
  payment_method: "GET /api/v1/payments/payment-methods with this key lists the methods it may use",
  phone_number: "Send the number in E.164, such as +254700000001",
};

/** A key that looks like one of the real service: `sk_live_` and more than anybody makes up by hand; a namespace's is ours. */
export function looksReal(key: string | null): boolean {
  return key !== null && /^[a-z]{2}_live_(?!ns_)[A-Za-z0-9_-]{16,}$/.test(key);
}

export const NO_ORGANIZATION = refuse("NOT_FOUND", "Organization not found");

/** Said of a key that looks real, in the place of what is said of any other. */
export const REAL_KEY = refuse(
  "UNAUTHORIZED",
  "Invalid API key: it looks like a real key of live mode, which the sandbox neither takes nor keeps; use sk_live_sandbox",
);

/** What is said where there is no such call. */
export function hintWithoutCall(isThere: boolean): string {
  return isThere ? BY_CODE.METHOD_NOT_ALLOWED! : "/docs lists every path of the service";
}

/** What to do about a refusal of a call. */
export function hintOf({ code, message, details = {} }: Refusal): string | undefined {
  if (message === NO_ORGANIZATION.message)
    return "The key's organization is deactivated; use sk_test_sandbox";
  const field = Object.keys(BY_FIELD).find((one) => one in details);
  return field === undefined ? BY_CODE[code] : BY_FIELD[field];
}
