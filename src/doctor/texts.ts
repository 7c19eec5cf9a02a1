import { BURST } from "./probes.js";
import type { Probe } from "./report.js";

/** How each probe reads: its title, what is sent, what a good receiver does. */
export const TEXTS: Readonly<Record<Probe, { title: string; sent: string; expected: string }>> = {
  valid: {
    title: "a valid event",
    sent: "charge.awaiting_payment, properly signed",
    expected: "2xx, within seconds",
  },
  duplicate: {
    title: "the same again",
    sent: "the event it accepted, once more, freshly signed",
    expected: "2xx, and nothing done twice",
  },
  tampered: {
    title: "a tampered body",
    sent: "an event whose amount was changed after it was signed",
    expected: "400 or 401, and nothing done",
  },
  wrong_secret: {
    title: "a wrong secret",
    sent: "an event signed with another secret",
    expected: "400 or 401, and nothing done",
  },
  unsigned: {
    title: "no signature",
    sent: "an event without the signature's headers",
    expected: "400 or 401, and nothing done",
  },
  stale: {
    title: "a stale timestamp",
    sent: "an event with the right secret, signed ten minutes ago",
    expected: "400 or 401, and nothing done: it may be a recording",
  },
  unknown_type: {
    title: "an unknown event type",
    sent: "charge.review_opened, properly signed",
    expected: "2xx, and nothing done",
  },
  reordered: {
    title: "events in reverse",
    sent: "one charge's completed, processing and awaiting_payment, in this order",
    expected: "2xx each time, and the charge stays completed",
  },
  rotated_secret: {
    title: "a rotated secret",
    sent: "two events, each signed with the known secret and with another",
    expected: "2xx each time: one signature that fits is enough",
  },
  retry: {
    title: "a retry after its 5xx",
    sent: "an event it answered with a 5xx, or else one it accepted, again",
    expected: "2xx, and the work done this time",
  },
  unicode: {
    title: "unicode, unknown fields",
    sent: "names in many scripts; fields it cannot know; the same JSON with other spaces and escapes",
    expected: "2xx each time",
  },
  burst: {
    title: "a burst in parallel",
    sent: `${BURST} events of ${BURST} charges at once`,
    expected: "2xx each time",
  },
};
