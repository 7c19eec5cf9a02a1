import type { Answer, AnswerKind, Probe } from "../../core/schema/receiver-report.js";
import type { SignatureScheme } from "../../core/schema/signature-schemes.js";
import type { ReceiverFaultName } from "./faults.js";
import {
  BUSY_JUDGEMENT,
  consequenceJudgement,
  createSampleEvent,
  faultJudgement,
  finalAnswers,
  type InvalidSignatureProbe,
  type Judgement,
  PASS_JUDGEMENT,
} from "./probe.js";
import type { ProbeSession, SignatureParts } from "./probe-session.js";

export const EXPECTED_REFUSAL = "400 or 401, and nothing done";
const NOTHING_SIGNED = "nothing is signed, so a receiver cannot tell";
const NO_TIMESTAMP =
  "this scheme signs no timestamp, so a receiver cannot tell an old request from a new one";

/** Distance of the stale and of the future timestamp from now: twice the tolerance of the official libraries. */
const STALE_MS = 10 * 60_000;
/** Number of correct characters at the start of a forged signature. */
const PREFIX_LENGTH = 8;

export function noSignatureReason({ headers }: SignatureScheme): string | undefined {
  return Object.keys(headers).length > 0 ? undefined : NOTHING_SIGNED;
}

export function noTimestampReason({ payload }: SignatureScheme): string | undefined {
  return payload === "body" ? NO_TIMESTAMP : undefined;
}

export function sendInvalidSignature(session: ProbeSession, sent: string): Promise<Answer[]> {
  return session.sendRefusable(sent, createSampleEvent(session), { secrets: [session.unknownSecret] });
}

async function withSignatures(
  session: ProbeSession,
  variants: Readonly<Record<string, (parts: SignatureParts) => string>>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const [sent, forge] of Object.entries(variants))
    answers.push(...(await session.sendRefusable(sent, createSampleEvent(session), { forge })));
  return answers;
}

const otherCase = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

/** Probes that a receiver must refuse: forged, stale and future events. */
export const INVALID_SIGNATURE_PROBES = {
  tampered: {
    title: "a tampered body",
    sent: "an event whose amount was changed after it was signed",
    expected: EXPECTED_REFUSAL,
    acceptanceFault: "tampered_accepted",
    outOfScope: (scheme) =>
      noSignatureReason(scheme) ??
      (scheme.algorithm === null
        ? "this scheme sends the secret itself and signs nothing of the body, so a receiver cannot tell"
        : undefined),
    send: (session) => {
      const tamper = (body: string) => body.replace('"amount":"1132.73"', '"amount":"113273.00"');
      return session.sendRefusable(
        "an event with another amount than was signed",
        createSampleEvent(session),
        {
          tamper,
        },
      );
    },
  },
  wrong_secret: {
    title: "a wrong secret",
    sent: "an event signed with another secret",
    expected: EXPECTED_REFUSAL,
    acceptanceFault: "wrong_secret_accepted",
    outOfScope: noSignatureReason,
    send: (session) => sendInvalidSignature(session, "an event signed with another secret"),
  },
  unsigned: {
    title: "no signature",
    sent: "an event without the signature's headers",
    expected: EXPECTED_REFUSAL,
    acceptanceFault: "unsigned_accepted",
    outOfScope: noSignatureReason,
    send: (session) =>
      session.sendRefusable("an event without a signature", createSampleEvent(session), { isUnsigned: true }),
  },
  empty_signature: {
    title: "an empty signature",
    sent: "events with an empty signature header, and with an empty signature after its version",
    expected: EXPECTED_REFUSAL,
    acceptanceFault: "part_accepted",
    coveredBy: "unsigned",
    outOfScope: noSignatureReason,
    send: (session) =>
      withSignatures(session, {
        "an empty header": () => "",
        ...(session.scheme.signatureFormat === "{signature}"
          ? {}
          : { "an empty signature": ({ head, tag }) => head + tag }),
      }),
  },
  partial_signature: {
    title: "a part of the signature",
    sent: `events with the first half of the right signature, and with a signature whose first ${PREFIX_LENGTH} characters are right`,
    expected: EXPECTED_REFUSAL,
    acceptanceFault: "part_accepted",
    coveredBy: "empty_signature",
    outOfScope: noSignatureReason,
    send: (session) =>
      withSignatures(session, {
        "half of the signature": ({ head, tag, value }) =>
          head + tag + value.slice(0, Math.ceil(value.length / 2)),
        [`${PREFIX_LENGTH} right characters`]: ({ head, tag, value }) =>
          head +
          tag +
          value.slice(0, PREFIX_LENGTH) +
          value.slice(PREFIX_LENGTH).replace(/[^=]/g, (right) => (right === "0" ? "1" : "0")),
      }),
  },
  other_case: {
    title: "the signature in other case",
    sent: "an event with the right signature in the opposite case",
    expected: EXPECTED_REFUSAL,
    acceptanceFault: "case_ignored",
    outOfScope: (scheme) =>
      noSignatureReason(scheme) ??
      (scheme.algorithm !== null && scheme.encoding === "hex"
        ? "hexadecimal digits mean the same in either case"
        : undefined),
    send: (session) =>
      withSignatures(session, {
        "the other case": ({ head, tag, value }) => head + tag + otherCase(value),
      }),
  },
  other_version: {
    title: "a signature of another version",
    sent: "an event with the right signature under another version than its own",
    expected: EXPECTED_REFUSAL,
    acceptanceFault: "version_ignored",
    outOfScope: (scheme) =>
      noSignatureReason(scheme) ??
      (versionIn(scheme) === undefined ? "this scheme names no version" : undefined),
    send: (session) =>
      withSignatures(session, {
        "another version": ({ head, tag, value }) => head + tag.replace(/v\d/, "v9") + value,
      }),
  },
  stale: {
    title: "a stale timestamp",
    sent: "an event with the right secret, signed ten minutes ago",
    expected: `${EXPECTED_REFUSAL}: it may be a recording`,
    acceptanceFault: "stale_accepted",
    outOfScope: noTimestampReason,
    send: (session) =>
      session.sendRefusable("an event signed ten minutes ago", createSampleEvent(session), {
        ageMs: STALE_MS,
      }),
  },
  future: {
    title: "a timestamp of the future",
    sent: "an event with the right secret, signed ten minutes from now",
    expected: EXPECTED_REFUSAL,
    acceptanceFault: "future_accepted",
    coveredBy: "stale",
    outOfScope: (scheme) =>
      noTimestampReason(scheme) ??
      ("stripe-signature" in scheme.headers ? "this scheme's own libraries let it pass" : undefined),
    send: (session) =>
      session.sendRefusable("an event signed ten minutes from now", createSampleEvent(session), {
        ageMs: -STALE_MS,
      }),
  },
} as const satisfies Readonly<Partial<Record<Probe, InvalidSignatureProbe>>>;
type InvalidProbe = keyof typeof INVALID_SIGNATURE_PROBES;

const PROBES_IN_ORDER = Object.keys(INVALID_SIGNATURE_PROBES) as InvalidProbe[];

function definitionOf(probe: InvalidProbe): InvalidSignatureProbe {
  return INVALID_SIGNATURE_PROBES[probe];
}

const REFUSAL_FAULTS: Readonly<Partial<Record<AnswerKind, ReceiverFaultName>>> = {
  crashed: "refusals_crash",
  timeout: "refusals_hang",
  broken: "refusals_break",
  redirected: "refusals_redirect",
};

/** Kinds of answers, most severe first. */
const BY_SEVERITY: readonly AnswerKind[] = ["accepted", "timeout", "broken", "redirected", "crashed", "busy"];

/** Judges all forgeries together, so that one cause is reported as one fault. */
export function judgeInvalidSignatures(
  answers: ReadonlyMap<Probe, readonly Answer[]>,
  scheme: SignatureScheme,
): Map<Probe, Judgement> {
  const kinds = new Map<InvalidProbe, AnswerKind>();
  for (const probe of PROBES_IN_ORDER) {
    const reached = (answers.get(probe) ?? []).filter(({ kind }) => kind !== "unreachable");
    if (reached.length === 0) continue;
    const outcomes = finalAnswers(reached).map(({ kind }) => kind);
    kinds.set(probe, BY_SEVERITY.find((kind) => outcomes.includes(kind)) ?? "refused");
  }
  const last = PROBES_IN_ORDER.findLast((probe) => definitionOf(probe).outOfScope?.(scheme) === undefined);
  // Reported at the last forgery, because earlier results are already printed.
  if (last !== undefined && kinds.has(last) && [...kinds.values()].every((kind) => kind === "busy"))
    return new Map(
      [...kinds.keys()].map((probe) => [
        probe,
        probe === last ? faultJudgement("forgeries_deferred") : consequenceJudgement(last),
      ]),
    );
  const accepted = [...kinds.keys()].filter((probe) => kinds.get(probe) === "accepted");
  const common = commonFault(kinds, accepted);
  const firstOfKind = new Map<AnswerKind, Probe>();
  const marks = new Map<Probe, Judgement>();
  for (const [probe, kind] of kinds) {
    const refusalFault = REFUSAL_FAULTS[kind];
    if (kind === "accepted") marks.set(probe, acceptedMark(probe, accepted, common));
    else if (refusalFault !== undefined) {
      const first = firstOfKind.get(kind);
      marks.set(probe, first === undefined ? faultJudgement(refusalFault) : consequenceJudgement(first));
      if (first === undefined) firstOfKind.set(kind, probe);
    } else marks.set(probe, kind === "busy" ? BUSY_JUDGEMENT : PASS_JUDGEMENT);
  }
  return marks;
}

function acceptedMark(
  probe: InvalidProbe,
  accepted: readonly InvalidProbe[],
  common: ReceiverFaultName | undefined,
): Judgement {
  const root = common === undefined ? rootOf(probe, accepted) : accepted[0]!;
  if (root !== probe) return consequenceJudgement(root);
  return faultJudgement(common ?? INVALID_SIGNATURE_PROBES[probe].acceptanceFault);
}

function rootOf(probe: InvalidProbe, accepted: readonly Probe[]): InvalidProbe {
  const { coveredBy } = definitionOf(probe);
  return coveredBy !== undefined && accepted.includes(coveredBy)
    ? rootOf(coveredBy as InvalidProbe, accepted)
    : probe;
}

/** Returns the single fault that explains several accepted forgeries, if there is one. */
function commonFault(
  kinds: ReadonlyMap<Probe, AnswerKind>,
  accepted: readonly Probe[],
): ReceiverFaultName | undefined {
  const compared = (["tampered", "wrong_secret"] as const).filter((probe) => kinds.has(probe));
  if (compared.length === 0 || !compared.every((probe) => accepted.includes(probe))) return undefined;
  if (accepted.includes("unsigned")) return "no_verification";
  return compared.length > 1 ? "signature_not_compared" : undefined;
}

/** Version in the scheme's tag, such as `v1`. */
function versionIn({ signatureFormat }: SignatureScheme): string | undefined {
  return /v\d/.exec(signatureFormat)?.[0];
}
