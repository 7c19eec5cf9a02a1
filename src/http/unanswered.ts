import { INTERNAL_ERROR, type Refusal, refuse } from "../schema/errors.js";
import { errorReply, replyHeaders } from "./reply.js";

interface UnansweredOptions {
  nowMs(): number;
  /** Error code → the user's own name for it. */
  readonly errorCodes?: Readonly<Record<string, string>> | undefined;
  readonly onError: (error: unknown) => void;
}

/** What is said to a request that does not get as far as the app, in the shape of every other error. */
export function unanswered({ nowMs, errorCodes, onError }: UnansweredOptions) {
  const answer = (refusal: Refusal) => {
    const { status, json } = errorReply(refusal, undefined, errorCodes);
    return { status, headers: replyHeaders(nowMs()), body: json };
  };
  return {
    onUnreadable: (status: number) => answer(unreadable(status)),
    onPlainHttp: () =>
      answer(refuse("VALIDATION_ERROR", "This port speaks HTTPS: use https:// in place of http://")),
    onFailure: (error: unknown) => {
      onError(error);
      return answer(INTERNAL_ERROR);
    },
  };
}

function unreadable(status: number): Refusal {
  switch (status) {
    case 408:
      return refuse("VALIDATION_ERROR", "The request took too long to arrive", undefined, status);
    case 417:
      return refuse("VALIDATION_ERROR", "The only expectation supported is 100-continue", undefined, status);
    case 505:
      return refuse("VALIDATION_ERROR", "The HTTP version must be 1.0 or 1.1", undefined, status);
    case 413:
      return refuse("PAYLOAD_TOO_LARGE", "The request's chunks are too large for its body");
    case 431:
      return refuse("PAYLOAD_TOO_LARGE", "The request's headers are too large", undefined, status);
    default:
      return refuse("VALIDATION_ERROR", "The request is malformed");
  }
}
