import type { Answer, AnswerKind, Probe } from "../../core/schema/receiver-report.js";
import type { ReceiverFaultName } from "./faults.js";
import {
  EXPECTED_REFUSAL,
  INVALID_SIGNATURE_PROBES,
  noSignatureReason,
  sendInvalidSignature,
} from "./invalid-signatures.js";
import {
  BUSY_JUDGEMENT,
  consequenceJudgement,
  createSampleEvent,
  faultJudgement,
  finalAnswers,
  isDuplicateAnswer,
  isSameAnswer,
  isSignatureRefusal,
  type Judgement,
  type Judgements,
  judgeAcceptance,
  PASS_JUDGEMENT,
  undecidedJudgement,
  type ValidEventProbe,
} from "./probe.js";
import { isAcceptedOrBusy, type ProbeSession } from "./probe-session.js";

const BURST = 20;
const COPIES = 5;

const BY_KIND: Readonly<
  Record<Exclude<AnswerKind, "accepted" | "refused" | "unreachable">, ReceiverFaultName>
> = {
  crashed: "crashes_on_valid_events",
  timeout: "too_slow",
  redirected: "redirects",
  broken: "breaks_connection",
  busy: "busy",
};
/** Fault by status of a refusal that does not concern the signature. */
const BY_STATUS: Readonly<Record<number, ReceiverFaultName>> = {
  404: "wrong_path",
  405: "wrong_method",
  410: "endpoint_gone",
  413: "too_large",
};

const NEW_EVENT = "a new event, to compare";
const INVALID_NEW = "forged first";
const INVALID_KNOWN = "forged again";
const VALID = "the genuine one";
const REVERSED = "reversed";
const IN_ORDER = "in order";

export const VALID_EVENT_PROBES = {
  valid: {
    title: "a valid event",
    sent: "an event of a charge, properly signed",
    expected: "2xx, within seconds",
    send: async (session) => {
      const answers = await session.sendValid("a valid event", () => createSampleEvent(session));
      // If a forged event gets a different answer, the receiver refused the content, not the signature.
      if (
        answers.at(-1)!.kind !== "refused" ||
        INVALID_SIGNATURE_PROBES.wrong_secret.outOfScope(session.scheme) !== undefined
      )
        return answers;
      return [
        ...answers,
        ...(await sendInvalidSignature(session, "another, with a wrong secret, to compare")),
      ];
    },
    judge: ([first, compared]) => {
      const { kind, status } = first!;
      if (kind === "accepted" || kind === "unreachable")
        return judgeAcceptance([first!], "crashes_on_valid_events");
      if (kind !== "refused") return faultJudgement(BY_KIND[kind]);
      if (compared !== undefined && !isSameAnswer(first!, compared)) return faultJudgement("refuses_content");
      return faultJudgement(BY_STATUS[status!] ?? "refuses_valid_events");
    },
  },

  duplicate: {
    title: "the same again",
    sent: "the accepted event again, freshly signed",
    expected: "2xx, and nothing done twice",
    send: async (session) => {
      const { event, answer } = session.firstAccepted!;
      const answers = await session.resend("the same event again", event);
      return isSameAnswer(answers.at(-1)!, answer)
        ? answers
        : [...answers, ...(await session.sendValid(NEW_EVENT, () => createSampleEvent(session)))];
    },
    judge: ([duplicate], evidence) => {
      const found = judgeAcceptance([duplicate!], "duplicates");
      return found === PASS_JUDGEMENT && isDuplicateAnswer(duplicate!, evidence) !== true
        ? undecidedJudgement(
            "Responses do not show if it did the work twice: store the ids of handled events, and check them first.",
          )
        : found;
    },
  },

  known_id: {
    title: "a known id, forged",
    sent: "a forged event, the genuine event with its id, and a forgery of an accepted event",
    expected: `${EXPECTED_REFUSAL}; 2xx to the genuine one, and the work done`,
    outOfScope: noSignatureReason,
    send: async (session) => {
      const event = createSampleEvent(session);
      const wrong = { secrets: [session.unknownSecret] };
      return [
        ...(await session.sendRefusable(INVALID_NEW, event, wrong)),
        ...(await session.resend(VALID, event)),
        ...(await session.sendRefusable(INVALID_KNOWN, session.firstAccepted!.event, wrong)),
      ];
    },
    judge: (answers, evidence, marks) => {
      const [first, genuine, second] = [INVALID_NEW, VALID, INVALID_KNOWN].map((name) =>
        answers.find(({ sent }) => sent === name),
      );
      const forgery = marks.get("wrong_secret");
      if (first?.kind === "accepted" && forgery?.verdict !== "pass")
        return consequenceJudgement("wrong_secret", marks);
      if (
        genuine !== undefined &&
        (!isAcceptedOrBusy(genuine) || isDuplicateAnswer(genuine, evidence) === true)
      )
        return faultJudgement("forged_id_counts");
      if (second?.kind === "accepted") return faultJudgement("known_id_unverified");
      return [first, second].every((answer) => answer === undefined || isSignatureRefusal(answer, evidence))
        ? judgeAcceptance(genuine === undefined ? [] : [genuine], "forged_id_counts")
        : BUSY_JUDGEMENT;
    },
  },

  reordered: {
    title: "events in reverse",
    sent: "one charge's completed, processing and awaiting_payment, in this order",
    expected: "2xx each time, and the charge stays completed",
    send: async (session) => {
      const reversed = await sendLife(session, true);
      // If the receiver accepts events in the right order, the reversed order was the fault, not an event.
      return finalAnswers(reversed).every((answer) => answer.kind === "accepted")
        ? reversed
        : [...reversed, ...(await sendLife(session, false))];
    },
    judge: (answers, _evidence, marks) => {
      const sentIn = (order: string) => answers.filter(({ sent }) => sent.startsWith(order));
      const reversed = judgeAcceptance(sentIn(REVERSED), "reordered");
      if (reversed === PASS_JUDGEMENT)
        return undecidedJudgement(
          "Responses do not show if it kept the later status: the charge must still be completed in your data.",
        );
      if (reversed.fault !== "reordered") return reversed;
      const inOrder = sentIn(IN_ORDER);
      if (inOrder.length === 0 || judgeAcceptance(inOrder, "lifecycle").fault !== "lifecycle")
        return reversed;
      return marks.get("each_type")?.fault === "lifecycle"
        ? consequenceJudgement("each_type")
        : faultJudgement("lifecycle");
    },
  },

  rotated_secret: {
    title: "a rotated secret",
    sent: "two events, each signed with the known secret and with another",
    expected: "2xx each time: one signature that fits is enough",
    outOfScope: ({ signatureSeparator }) =>
      signatureSeparator === null ? "this scheme has room for one signature only" : undefined,
    send: async (session) => {
      const { secret, unknownSecret } = session;
      const signedBy = (sent: string, ...secrets: string[]) =>
        session.sendValid(sent, () => createSampleEvent(session), { secrets });
      return [
        ...(await signedBy("the known one second", unknownSecret, secret)),
        ...(await signedBy("the known one first", secret, unknownSecret)),
      ];
    },
    judge: (answers, evidence, marks) => {
      if (evidence.answers.get("wrong_secret")?.[0]?.kind === "accepted")
        return consequenceJudgement("wrong_secret", marks);
      if (answers.some((answer) => answer.kind === "busy")) return BUSY_JUDGEMENT;
      const failing = answers.filter((answer) => answer.kind !== "accepted");
      if (failing.some((answer) => !isSignatureRefusal(answer, evidence)))
        return faultJudgement("rotation_crashes");
      const [fitsSecond, fitsFirst] = answers;
      if (fitsSecond!.kind === "accepted") return judgeAcceptance(answers, "last_signature_only");
      return faultJudgement(fitsFirst?.kind === "accepted" ? "first_signature_only" : "one_signature_only");
    },
  },

  retry: {
    title: "a retry after its 5xx",
    sent: "an event it rejected with a 5xx, or else one it accepted, again",
    expected: "2xx, and the work done this time",
    send: (session) =>
      session.resend("an earlier event as a retry", session.retried?.event ?? session.firstAccepted!.event),
    judge: ([first], evidence, marks) => {
      const answer = first!;
      const { retried } = evidence;
      if (answer.kind === "accepted") {
        if (retried === null)
          return undecidedJudgement(
            "It never returned 5xx, so this could not be tested; an event it had accepted was sent again instead.",
          );
        // An event accepted before the 5xx had its work done then, and is rightly taken for a duplicate.
        if (retried.wasAccepted) return judgeAcceptance([answer], "retry");
        const isRemembered = retried.isAccepted ? undefined : isDuplicateAnswer(answer, evidence);
        if (isRemembered === undefined)
          return undecidedJudgement("Responses do not show if it did the work this time: check your data.");
        return isRemembered ? faultJudgement("retry") : judgeAcceptance([answer], "retry");
      }
      if (answer.kind === "busy") return BUSY_JUDGEMENT;
      // An earlier probe may have the same fault. Without a 5xx to retry, the event was sent as a duplicate.
      const source = retried?.probe ?? "duplicate";
      const isSame = retried === null || answer.kind !== "refused";
      const isKnown = marks.get(source)?.verdict === "fail" || marks.get(source)?.because !== undefined;
      return isSame && isKnown ? consequenceJudgement(source, marks) : faultJudgement("retry");
    },
  },

  simultaneous: {
    title: "the same at the same time",
    sent: `one new event, ${COPIES} times at once`,
    expected: "2xx each time, and the work done once",
    send: (session) =>
      session.sendConcurrently(COPIES, () => {
        const event = createSampleEvent(session);
        return Array.from({ length: COPIES }, () => event);
      }),
    judge: (answers, _evidence, marks) => {
      const found = acceptingCrowd(answers, "simultaneous", marks);
      if (found.fault === "simultaneous" && marks.get("duplicate")?.fault === "duplicates")
        return consequenceJudgement("duplicate");
      return found === PASS_JUDGEMENT
        ? undecidedJudgement(
            "Responses do not show if it did the work once: let a unique key on the event's id decide which copy is first.",
          )
        : found;
    },
  },

  burst: {
    title: "a burst in parallel",
    sent: `${BURST} events of ${BURST} charges at once`,
    expected: "2xx each time",
    send: (session) =>
      session.sendConcurrently(BURST, () => Array.from({ length: BURST }, () => createSampleEvent(session))),
    judge: (answers, _evidence, marks) => acceptingCrowd(answers, "burst", marks),
  },
} as const satisfies Readonly<Partial<Record<Probe, ValidEventProbe>>>;

/** Judges concurrent requests, whose failures mean nothing if the receiver fails at random. */
function acceptingCrowd(answers: readonly Answer[], name: ReceiverFaultName, marks: Judgements): Judgement {
  const found = judgeAcceptance(answers, name);
  const [flaky] = [...marks].find(([, mark]) => mark.fault === "fails_now_and_then") ?? [];
  return found.fault === name && flaky !== undefined ? consequenceJudgement(flaky) : found;
}

async function sendLife(session: ProbeSession, isReversed: boolean): Promise<Answer[]> {
  const { samples } = session;
  const charges = samples.lifeUntil("COMPLETED");
  const answers: Answer[] = [];
  for (const charge of isReversed ? charges.reverse() : charges)
    answers.push(
      ...(await session.sendValid(
        `${isReversed ? REVERSED : IN_ORDER}: charge.${charge.status.toLowerCase()}`,
        () => samples.event(charge),
      )),
    );
  return answers;
}
