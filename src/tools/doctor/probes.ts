import type { Mode } from "../../core/schema/common.js";
import { SERVICE_EVENT_TYPES } from "../../core/schema/event-types.js";
import { type Answer, PROBES, type Probe } from "../../core/schema/receiver-report.js";
import type { SignatureScheme } from "../../core/schema/signature-schemes.js";
import { INVALID_SIGNATURE_PROBES, noTimestampReason } from "./invalid-signatures.js";
import {
  consequenceJudgement,
  createSampleEvent,
  faultJudgement,
  finalAnswers,
  type InvalidSignatureProbe,
  isSignatureRefusal,
  judgeAcceptance,
  judgeIgnored,
  type ProbeEvidence,
  type ValidEventProbe,
} from "./probe.js";
import { isAcceptedOrBusy, type ProbeSession } from "./probe-session.js";
import type { SampleEvent, SampleFactory } from "./samples.js";
import { VALID_EVENT_PROBES } from "./valid-events.js";

const UNICODE = "names in many scripts";
const UNKNOWN_FIELDS = "unknown fields";
const OTHER_SPELLING = "the same JSON in another spelling";
const EACH_TIME = "2xx each time";
const MINUTE_MS = 60_000;
const HOURS = 10;

type Contents = Readonly<Record<string, (samples: SampleFactory) => SampleEvent>>;

async function send(session: ProbeSession, contents: Contents): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const [sent, make] of Object.entries(contents))
    answers.push(...(await session.sendValid(sent, () => make(session.samples))));
  return answers;
}

function sendForeign(session: ProbeSession, sent: string, mode: Mode): Promise<Answer[]> {
  const { samples, firstAccepted } = session;
  const { metadata } = JSON.parse(firstAccepted!.event.body).data;
  const charge = { ...samples.lifeUntil("COMPLETED").at(-1)!, metadata };
  return session.sendRefusable(sent, samples.eventOf("charge.completed", charge, { mode }));
}

/** Judges only events of types that the receiver accepts; names of requests begin with the type. */
function judgeAcceptedTypes(judge: ValidEventProbe["judge"]): ValidEventProbe["judge"] {
  return (answers, evidence, marks) => {
    const refused = finalAnswers(evidence.answers.get("each_type")!).filter(
      (answer) => !isAcceptedOrBusy(answer),
    );
    const rest = answers.filter(({ sent }) => refused.every((type) => type.sent !== sent.split(" ")[0]));
    const found = judge(rest, evidence, marks);
    return found.fault === undefined && rest.length < answers.length
      ? consequenceJudgement("each_type", marks)
      : found;
  };
}

const CONTENT_PROBES = {
  minute_old: {
    title: "a signature a minute old",
    sent: "an event signed a minute ago",
    expected: "2xx: clocks differ, and networks are slow",
    outOfScope: noTimestampReason,
    send: (session) =>
      session.sendValid("an event signed a minute ago", () => createSampleEvent(session), {
        ageMs: MINUTE_MS,
      }),
    judge: (answers) => judgeAcceptance(answers, "tolerance_too_small"),
  },

  old_change: {
    title: "a change from hours ago",
    sent: `an event about a change ${HOURS} hours ago, freshly signed, like a late retry`,
    expected: "2xx",
    send: (session) =>
      send(session, { "a late event": (samples) => samples.oldEvent(HOURS * 60 * MINUTE_MS) }),
    judge: (answers) => judgeAcceptance(answers, "body_timestamp"),
  },

  each_type: {
    title: "every event type",
    sent: `an event of each of the ${SERVICE_EVENT_TYPES.length} types, properly signed`,
    expected: EACH_TIME,
    send: (session) =>
      send(
        session,
        Object.fromEntries(
          SERVICE_EVENT_TYPES.map((type) => [type, (samples: SampleFactory) => samples.eventOfType(type)]),
        ),
      ),
    judge: (answers) => {
      const ofCharges = answers.filter(({ sent }) => sent.startsWith("charge."));
      return judgeAcceptance(answers, ofCharges.every(isAcceptedOrBusy) ? "other_types" : "lifecycle");
    },
  },

  unknown_type: {
    title: "an unknown event type",
    sent: "charge.review_opened, properly signed",
    expected: "2xx, and nothing done",
    send: (session) =>
      send(session, {
        "charge.review_opened": (samples) => samples.event(samples.charge(), "charge.review_opened"),
      }),
    judge: (answers) => judgeAcceptance(answers, "unknown_type"),
  },

  unknown_family: {
    title: "an event of another family",
    sent: "invoice.sent, properly signed, about something other than a charge",
    expected: "2xx, and nothing done",
    send: (session) =>
      send(session, {
        "invoice.sent": (samples) => samples.eventOf("invoice.sent", { invoice_id: "inv_1", lines: [] }),
      }),
    judge: (answers, _evidence, marks) => {
      const found = judgeAcceptance(answers, "unknown_family");
      if (found.fault !== "unknown_family") return found;
      if (marks.get("unknown_type")?.fault === "unknown_type") return consequenceJudgement("unknown_type");
      return marks.get("each_type")?.fault === "other_types" ? consequenceJudgement("each_type") : found;
    },
  },

  unicode: {
    title: "unicode, unknown fields",
    sent: "names in many scripts; unknown fields; the same JSON with other spaces and escapes",
    expected: EACH_TIME,
    send: (session) =>
      send(session, {
        [UNICODE]: (samples) =>
          samples.event(
            samples.charge({
              customer_name: "Zoë Ọláyínká 李 😀",
              metadata: { note: "₦ ≠ ¥ – «ẞ» 👩🏾‍💻", ключ: "значение" },
            }),
          ),
        [UNKNOWN_FIELDS]: (samples) => samples.eventWithUnknownFields(),
        [OTHER_SPELLING]: (samples) => samples.eventWithUnusualSpelling(),
      }),
    judge: (answers, evidence) => {
      const failing = answers.filter((answer) => !isAcceptedOrBusy(answer) && answer.sent !== UNKNOWN_FIELDS);
      // If UNICODE and OTHER_SPELLING fail, OTHER_SPELLING counts: a receiver that reserializes JSON may fail on both.
      const last = failing.at(-1);
      if (last === undefined) return judgeAcceptance(answers, "unknown_fields");
      if (!isSignatureRefusal(last, evidence)) return faultJudgement("content_crashes");
      return faultJudgement(last.sent === OTHER_SPELLING ? "reserialized_body" : "unicode");
    },
  },

  payments: {
    title: "other ways to pay",
    sent: "a charge paid in crypto, and one by bank transfer, of millions",
    expected: EACH_TIME,
    send: (session) =>
      send(session, {
        crypto: (samples) => samples.event(samples.charge(CRYPTO)),
        "a bank transfer of millions": (samples) => samples.event(samples.charge(TRANSFER)),
      }),
    judge: (answers) => judgeAcceptance(answers, "payments"),
  },

  null_fields: {
    title: "null in each nullable field",
    sent: "an event for each nullable field, with null there, and one of a hosted page without a method",
    expected: EACH_TIME,
    send: (session) =>
      send(session, {
        ...Object.fromEntries(session.samples.eventsWithNull()),
        "charge.expired without a method": (samples) =>
          samples.event(samples.charge(HOSTED), "charge.expired"),
      }),
    judge: judgeAcceptedTypes((answers) => judgeAcceptance(answers, "null_field")),
  },

  large: {
    title: "a large body",
    sent: "an event of 12 KB: metadata may have 10",
    expected: "2xx",
    send: (session) =>
      send(session, { "12 KB": (samples) => samples.event(samples.charge({ metadata: FULL_METADATA })) }),
    judge: (answers) => judgeAcceptance(answers, "large_body"),
  },

  foreign_charge: {
    title: "a charge of another shop",
    sent: "charge.completed of a charge the app did not create, with the metadata of another",
    expected: "2xx or a refusal, and nothing done",
    send: (session) => sendForeign(session, "charge.completed of another shop", "test"),
    judge: judgeAcceptedTypes((answers) =>
      judgeIgnored(
        answers,
        "foreign_charge",
        "Responses do not show if it took an order for paid: compare the event's charge_id with the one you stored for the order.",
      ),
    ),
  },

  other_mode: {
    title: "an event of live mode",
    sent: "charge.completed of a live charge, with the metadata of a test charge, properly signed",
    expected: "2xx or a refusal, and nothing done: the app's key is of test mode",
    send: (session) => sendForeign(session, "charge.completed of live mode", "live"),
    judge: judgeAcceptedTypes((answers, _evidence, marks) => {
      const advice =
        "Responses do not show if it took an order for paid: compare the event's mode with that of your key, and do nothing if they differ.";
      const found = judgeIgnored(answers, "other_mode", advice);
      const isForeign =
        found.fault === "other_mode" && marks.get("foreign_charge")?.fault === "foreign_charge";
      return isForeign ? consequenceJudgement("foreign_charge") : found;
    }),
  },

  amount: {
    title: "another amount",
    sent: "charge.completed of a charge that it knows, properly signed, with another amount",
    expected: "2xx or a refusal, and nothing done for that amount",
    send: (session) => {
      const { data } = JSON.parse(session.firstAccepted!.event.body);
      const charge = { ...session.samples.lifeUntil("COMPLETED").at(-1)!, charge_id: data.charge_id };
      const event = session.samples.event({ ...charge, amount: "73519.37", settlement_amount: "73491.74" });
      return session.sendRefusable("charge.completed with another amount", event);
    },
    judge: judgeAcceptedTypes((answers) =>
      judgeIgnored(
        answers,
        "payments",
        "Responses do not show if it trusted the event's amount: compare it with your own order.",
      ),
    ),
  },
} as const satisfies Readonly<Partial<Record<Probe, ValidEventProbe>>>;

const CRYPTO = {
  amount: "25.12345678",
  currency: "USDT_TRC20",
  payment_method: "crypto",
  payment_rail: "tron",
  fees: { total_fee: "0.25", fee_breakdown: { platform_fee: "0.10", gateway_fee: "0.15" } },
  settlement_amount: "24.87345678",
  payment_instructions: {
    type: "crypto",
    network: "TRC20",
    wallet_address: "TSandboxWalletThatTakesNothing0001",
    amount: "25.12345678",
    currency: "USDT",
    reference: "PSBCRYPTO",
    instructions: "Nothing is to be paid: this event only checks a webhook receiver.",
  },
} as const;

const TRANSFER = {
  amount: "12500000.35",
  currency: "NGN",
  payment_method: "bank_transfer",
  payment_rail: null,
  fees: { total_fee: "125000.00", fee_breakdown: { platform_fee: "50000.00", gateway_fee: "75000.00" } },
  settlement_amount: "12375000.35",
  payment_instructions: {
    type: "bank_transfer",
    bank_name: "Sandbox Bank",
    account_number: "0123456789",
    account_name: "Payments Sandbox",
    reference: "PSBTRANSFER",
    instructions: "Nothing is to be paid: this event only checks a webhook receiver.",
  },
} as const;

/** Fields of a hosted charge before the customer picks a method. */
const HOSTED = {
  status: "EXPIRED",
  payment_method: null,
  payment_rail: null,
  customer_name: null,
  fees: null,
  exchange_rate: null,
  settlement_amount: null,
  payment_instructions: null,
} as const;

/** Metadata of the maximum size: 20 keys, 10 KB. */
const FULL_METADATA = Object.fromEntries(
  Array.from({ length: 20 }, (_entry, index) => [`key_${index}`, "x".repeat(490)]),
);

export const PROBE_DEFINITIONS: Readonly<Record<Probe, ValidEventProbe | InvalidSignatureProbe>> = {
  ...VALID_EVENT_PROBES,
  ...CONTENT_PROBES,
  ...INVALID_SIGNATURE_PROBES,
};

export function outOfScopeReason(probe: Probe, scheme: SignatureScheme): string | undefined {
  return PROBE_DEFINITIONS[probe].outOfScope?.(scheme);
}

/** Sends the probes in order. Stops if the receiver accepts nothing or is gone. */
export async function sendProbes(
  session: ProbeSession,
  onProbe: (probe: Probe, evidence: ProbeEvidence) => void,
): Promise<ProbeEvidence> {
  const answers = new Map<Probe, readonly Answer[]>();
  let evidence: ProbeEvidence = { answers, stoppedAt: null, retried: null };
  for (const probe of PROBES) {
    session.probe = probe;
    if (probe === "retry") {
      const crashed = (session.retried = session.findCrashedEvent());
      if (crashed !== undefined)
        evidence = { ...evidence, retried: { ...crashed, isAccepted: session.hasAccepted(crashed.event) } };
    }
    if (outOfScopeReason(probe, session.scheme) === undefined) {
      const sent = await PROBE_DEFINITIONS[probe].send(session);
      answers.set(probe, sent);
      const acceptsNothing = probe === "valid" && session.firstAccepted === undefined;
      const isGone = sent.every((answer) => answer.kind === "unreachable");
      if (acceptsNothing || isGone) evidence = { ...evidence, stoppedAt: probe };
    }
    onProbe(probe, evidence);
    if (evidence.stoppedAt !== null) break;
  }
  return evidence;
}
