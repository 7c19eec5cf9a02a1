import type { Severity } from "../../core/schema/receiver-report.js";

interface Fault {
  /** `should`: recommended, not required. Default: must. */
  readonly severity?: "should";
  readonly title: string;
  readonly advice: string;
}

export const RECEIVER_FAULTS = {
  refuses_valid_events: {
    title: "valid events are refused",
    advice:
      "Check that it uses this secret, and that it verifies the raw bytes of the body, before any JSON parser.",
  },
  refuses_content: {
    title: "the signature is taken, the event is refused",
    advice:
      "A forged event gets a different response, so the signature was fine. Respond with 2xx to events about unknown charges too: otherwise they are retried for days.",
  },
  crashes_on_valid_events: {
    title: "valid events crash it",
    advice: "Look into the receiver's log for the event named here.",
  },
  first_request_fails: {
    severity: "should",
    title: "the first event failed, another one did not",
    advice:
      "If it was still starting, open its port only once it is ready; otherwise look into the receiver's log.",
  },
  fails_now_and_then: {
    title: "it fails now and then",
    advice:
      "The same event sent again was accepted, so no event is at fault. Look into its log for the IDs given here: a race, an exhausted pool, or one of several processes that differs from the others.",
  },
  wrong_path: {
    title: "there is nothing at this path",
    advice: "It returns 404 for everything. Check the path of the address and the route of the app.",
  },
  wrong_method: {
    title: "it takes no POST at this path",
    advice: "It returns 405. Webhooks are sent as POST: check the route's method and the path.",
  },
  endpoint_gone: {
    title: "it returns 410 Gone",
    advice:
      "It returns 410, which tells a sender to disable the endpoint. Register the address that replaced it.",
  },
  too_large: {
    title: "events are too large for it",
    advice:
      "It returns 413 for the smallest event. Raise the body limit of the app or the proxy to 64 KB or more.",
  },
  too_slow: {
    title: "it does not respond in time",
    advice:
      "Store the event, respond with 200, and do the work afterwards. If it never responds, look for a handler that throws without sending a response.",
  },
  slow: {
    severity: "should",
    title: "it takes more than 5 s to respond",
    advice:
      "Store the event, respond with 200, and do the work afterwards: a sender gives up after some seconds.",
  },
  redirects: {
    title: "it redirects",
    advice:
      "Redirects are not followed. Register the address it leads to, and keep the login and the trailing-slash rule off this path.",
  },
  breaks_connection: {
    title: "it drops the connection without a response",
    advice: "Check if its process exits, or a proxy in between times out.",
  },
  busy: {
    title: "it takes no events for now",
    advice: "It returns 429 or 503 for the very first event: exempt this path from rate limits.",
  },
  gone: {
    title: "nothing listens there any more",
    advice:
      "It responded to the previous event, and its process ended or closed its port afterwards. Look into its log.",
  },
  duplicates: {
    title: "an event that arrives twice is not accepted twice",
    advice:
      "Events may arrive more than once. Respond with 2xx to one you have already handled: anything else makes it arrive again.",
  },
  no_verification: {
    title: "nothing is verified: forged events get the same response as real ones",
    advice:
      "Anyone who knows this address can claim that a charge is paid. Verify the signature and respond with 400 or 401 when it does not match. (If it returns 2xx and discards forged events, return 400 instead.)",
  },
  signature_not_compared: {
    title: "a signature is required, but not compared",
    advice: "Compute the signature over the body's bytes with your secret, and compare it in constant time.",
  },
  tampered_accepted: {
    title: "a changed body is accepted",
    advice: "The signature must be computed over the body's bytes, all of them.",
  },
  wrong_secret_accepted: {
    title: "an event signed with another secret is accepted",
    advice: "Compute the signature with your own secret and compare all of it.",
  },
  unsigned_accepted: {
    title: "an event without a signature is accepted",
    advice:
      "Refuse when the signature's header is missing: leaving it out is the first thing a forger tries.",
  },
  part_accepted: {
    title: "an empty signature, or a part of one, is accepted",
    advice:
      "Anybody can send these. Refuse a signature that is empty, and compare all of it, length included, in constant time (timingSafeEqual, hmac.compare_digest).",
  },
  case_ignored: {
    title: "the case of the signature's letters is ignored",
    advice: "Base64 is case-sensitive: compare the signature as it is, in constant time.",
  },
  version_ignored: {
    title: "the signature's version is ignored",
    advice: "Accept only signatures of the version you know, such as v1: others may be computed differently.",
  },
  future_accepted: {
    severity: "should",
    title: "a signature from the future is accepted",
    advice: "Refuse a signed timestamp that is more than five minutes off, in either direction.",
  },
  forged_id_counts: {
    title: "a forged event blocks the genuine event with its id",
    advice:
      "Verify first, and note the id only after that: otherwise anybody who guesses ids can have your events dropped.",
  },
  known_id_unverified: {
    severity: "should",
    title: "a known ID gets a response before anything is verified",
    advice: "Verify first: a forged event must be refused, whatever id it carries.",
  },
  tolerance_too_small: {
    title: "an event signed a minute ago is not accepted",
    advice:
      "Accept signatures up to five minutes old, as the official libraries do: clocks differ, and events can be delayed.",
  },
  body_timestamp: {
    title: "an event about a change from hours ago is not accepted",
    advice:
      "Retries arrive for days: their signature is fresh, the timestamp in the body is that of the change. Compare only the signed timestamp in the header with your clock.",
  },
  stale_accepted: {
    title: "an old signature is accepted",
    advice:
      "Refuse a signed timestamp that is more than five minutes off: otherwise a recorded request can be played back at any time.",
  },
  refusals_hang: {
    title: "events it rejects get no response",
    advice: "Respond with 400 or 401. Look for a verification that throws an uncaught error.",
  },
  refusals_break: {
    title: "it cuts the connection for events it refuses",
    advice: "Respond with 400 or 401. Look for a verification that throws an uncaught error.",
  },
  refusals_redirect: {
    title: "events it refuses are redirected",
    advice: "Return 400 or 401, and keep the login off this path.",
  },
  forgeries_deferred: {
    title: "it asks for a later retry of every forged event",
    advice:
      "It returns 429, or 503 with Retry-After, to each of them, so nothing shows that it verifies signatures. Exempt this path from rate limits, or check it when it has capacity.",
  },
  refusals_crash: {
    severity: "should",
    title: "forged events are refused with a 5xx",
    advice:
      "Respond with 400 or 401: a 5xx reports a fault of your own, sets off alarms, and asks for a retry.",
  },
  unknown_type: {
    title: "an event type it does not know is not accepted",
    advice:
      "Respond with 2xx and ignore it: new types are added without notice, and a rejected one is retried for days.",
  },
  unknown_family: {
    title: "an event of a family it does not know is not accepted",
    advice:
      "Return 2xx and ignore it before you look for a charge in it: new families are added without notice, and theirs have other data.",
  },
  other_types: {
    title: "events of withdrawals, or the test event, are not accepted",
    advice:
      "Respond with 2xx to every type and ignore what you do not need: a rejected event is retried for days.",
  },
  reordered: {
    title: "one charge's events out of order are not accepted",
    advice:
      "The same events in order are fine. Return 2xx, and let an event that is older than what you know change nothing.",
  },
  lifecycle: {
    title: "an event in the usual life of a charge is not accepted",
    advice: "Respond with 2xx to each of these types: a rejected event is retried for days.",
  },
  first_signature_only: {
    title: "only the first of several signatures is looked at",
    advice:
      "After a rotation each event is signed by both secrets: accept it if any of the signatures is valid.",
  },
  last_signature_only: {
    title: "only the last of several signatures is looked at",
    advice:
      "After a rotation each event is signed by both secrets: accept it if any of the signatures is valid.",
  },
  one_signature_only: {
    title: "an event with several signatures is not accepted",
    advice:
      "After a rotation the header holds one signature for each secret: split it, and accept the event if any signature is valid.",
  },
  rotation_crashes: {
    title: "an event with several signatures makes it fail",
    advice:
      "This is no refusal: look into its log. After a rotation the header holds one signature for each secret.",
  },
  retry: {
    title: "an event sent again after a 5xx is not accepted",
    advice:
      "Remember an event as handled in the same transaction as the work it causes, not before: otherwise a crash loses it.",
  },
  unicode: {
    title: "names in many scripts are not accepted",
    advice:
      "Its signature is refused, those of plain ASCII are not: verify the bytes, not a text decoded as Latin-1.",
  },
  content_crashes: {
    title: "unexpected text makes it fail",
    advice:
      "The signature is not the cause. Store texts as full UTF-8 (in MySQL utf8mb4), and leave spaces and escapes to a JSON parser.",
  },
  payments: {
    title: "a charge paid in another way, or of a large amount, is not accepted",
    advice:
      "Return 2xx to charges of methods, currencies and amounts you do not expect; amounts are decimal strings with up to 8 places.",
  },
  null_field: {
    title: "an event with null in a nullable field is not accepted",
    advice:
      "Respond with 2xx and do the work without the fields named here: a customer may leave out a name, a card has no rail, a charge that nobody has priced no fees.",
  },
  other_mode: {
    title: "an event of the other mode makes it fail",
    advice:
      "Compare the event's mode with that of your key before anything else. If they differ, respond with 2xx and do nothing: after a 5xx it arrives again for days.",
  },
  foreign_charge: {
    title: "an event of a charge it did not create makes it fail",
    advice:
      "Respond with 2xx and do nothing: other apps of the organization create charges too, and after a 5xx the event arrives again for days.",
  },
  large_body: {
    title: "an event of 12 KB is not accepted",
    advice:
      "Metadata may have 10 KB. Raise the body limit of the app or the proxy to 64 KB or more, and verify all of the bytes.",
  },
  simultaneous: {
    severity: "should",
    title: "copies of an event that arrive at once are not all accepted",
    advice:
      "Let a unique key on the event's ID decide which copy is first, and respond with 2xx to the others: what fails is retried.",
  },
  reserialized_body: {
    title: "it verifies parsed and rewritten JSON instead of the received bytes",
    advice:
      "Take the raw body (express.raw, request.get_data(), php://input) and verify before parsing: rewritten JSON differs in spaces, escapes and numbers.",
  },
  unknown_fields: {
    title: "fields it does not know are not accepted",
    advice: "Ignore fields you do not know: new ones are added without notice.",
  },
  burst: {
    title: "many events at once are not all accepted",
    advice:
      "Store each event and respond at once; look for a pool, a lock or a file that limits how many are handled at a time. To ask for time, respond with 429 or 503 and Retry-After.",
  },
} as const satisfies Readonly<Record<string, Fault>>;

export type ReceiverFaultName = keyof typeof RECEIVER_FAULTS;

export function severityOf(name: ReceiverFaultName): Severity {
  const fault: Fault = RECEIVER_FAULTS[name];
  return fault.severity ?? "must";
}
