import type { Answer, AnswerKind, Probe } from "../../core/schema/receiver-report.js";
import type { FaultName } from "./faults.js";
import { FORGED, forged, REFUSED, unsignedScheme } from "./forged.js";
import {
  accepting,
  because,
  fault,
  fresh,
  type GenuineProbe,
  isRecognized,
  isRefusal,
  type Mark,
  type Marks,
  NOT_NOW,
  PASS,
  saysTheSame,
  settled,
  unseen,
} from "./probe.js";
import { isFine, type Session } from "./session.js";

const BURST = 20;
const COPIES = 5;

/** Faults of answers to a valid event other than a refusal. */
const BY_KIND: Readonly<Record<Exclude<AnswerKind, "accepted" | "refused" | "unreachable">, FaultName>> = {
  crashed: "crashes_on_valid_events",
  timeout: "too_slow",
  redirected: "redirects",
  broken: "breaks_connection",
  busy: "busy",
};
/** Statuses of a refusal that do not concern the signature. */
const BY_STATUS: Readonly<Record<number, FaultName>> = {
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

/** Probes of valid events: verification, duplicates, order, retries, concurrency. */
export const GENUINE = {
  valid: {
    title: "a valid event",
    sent: "an event of a charge, properly signed",
    expected: "2xx, within seconds",
    send: async (session) => {
      const answers = await session.genuine("a valid event", session.opening);
      // If a forged event gets a different answer, the receiver refused the content, not the signature.
      if (answers.at(-1)!.kind !== "refused" || FORGED.wrong_secret.outOfScope(session.scheme) !== undefined)
        return answers;
      return [...answers, ...(await forged(session, "another, with a wrong secret, to compare"))];
    },
    judge: ([first, compared]) => {
      const { kind, status } = first!;
      if (kind === "accepted" || kind === "unreachable")
        return accepting([first!], "crashes_on_valid_events");
      if (kind !== "refused") return fault(BY_KIND[kind]);
      if (compared !== undefined && !saysTheSame(first!, compared)) return fault("refuses_content");
      return fault(BY_STATUS[status!] ?? "refuses_valid_events");
    },
  },

  duplicate: {
    title: "the same again",
    sent: "the accepted event again, freshly signed",
    expected: "2xx, and nothing done twice",
    send: async (session) => {
      const { event, answer } = session.accepted!;
      const answers = await session.again("the same event again", event);
      return saysTheSame(answers.at(-1)!, answer)
        ? answers
        : [...answers, ...(await session.genuine(NEW_EVENT, () => fresh(session)))];
    },
    judge: ([duplicate], evidence) => {
      const found = accepting([duplicate!], "duplicates");
      return found === PASS && isRecognized(duplicate!, evidence) !== true
        ? unseen(
            "Responses do not show if it did the work twice: store the ids of handled events, and check them first.",
          )
        : found;
    },
  },

  known_id: {
    title: "a known id, forged",
    sent: "a forged event, the genuine event with its id, and a forgery of an accepted event",
    expected: `${REFUSED}; 2xx to the genuine one, and the work done`,
    outOfScope: unsignedScheme,
    send: async (session) => {
      const event = fresh(session);
      const wrong = { secrets: [session.unknownSecret] };
      return [
        ...(await session.forged(INVALID_NEW, event, wrong)),
        ...(await session.again(VALID, event)),
        ...(await session.forged(INVALID_KNOWN, session.accepted!.event, wrong)),
      ];
    },
    judge: (answers, evidence, marks) => {
      const [first, genuine, second] = [INVALID_NEW, VALID, INVALID_KNOWN].map((name) =>
        answers.find(({ sent }) => sent === name),
      );
      const forgery = marks.get("wrong_secret");
      if (first?.kind === "accepted" && forgery?.verdict !== "pass") return because("wrong_secret", marks);
      if (genuine !== undefined && (!isFine(genuine) || isRecognized(genuine, evidence) === true))
        return fault("forged_id_counts");
      if (second?.kind === "accepted") return fault("known_id_unverified");
      return [first, second].every((answer) => answer === undefined || isRefusal(answer, evidence))
        ? accepting(genuine === undefined ? [] : [genuine], "forged_id_counts")
        : NOT_NOW;
    },
  },

  reordered: {
    title: "events in reverse",
    sent: "one charge's completed, processing and awaiting_payment, in this order",
    expected: "2xx each time, and the charge stays completed",
    send: async (session) => {
      const reversed = await sendLife(session, true);
      // Sending them in order tells a fault of ordering from one of a single event.
      return settled(reversed).every((answer) => answer.kind === "accepted")
        ? reversed
        : [...reversed, ...(await sendLife(session, false))];
    },
    judge: (answers, _evidence, marks) => {
      const sentIn = (order: string) => answers.filter(({ sent }) => sent.startsWith(order));
      const reversed = accepting(sentIn(REVERSED), "reordered");
      if (reversed === PASS)
        return unseen(
          "Responses do not show if it kept the later status: the charge must still be completed in your data.",
        );
      if (reversed.fault !== "reordered") return reversed;
      const inOrder = sentIn(IN_ORDER);
      if (inOrder.length === 0 || accepting(inOrder, "lifecycle").fault !== "lifecycle") return reversed;
      return marks.get("each_type")?.fault === "lifecycle" ? because("each_type") : fault("lifecycle");
    },
  },

  rotated_secret: {
    title: "a rotated secret",
    sent: "two events, each signed with the known secret and with another",
    expected: "2xx each time: one signature that fits is enough",
    outOfScope: ({ between }) =>
      between === null ? "this scheme has room for one signature only" : undefined,
    send: async (session) => {
      const { secret, unknownSecret } = session;
      const signedBy = (sent: string, ...secrets: string[]) =>
        session.genuine(sent, () => fresh(session), { secrets });
      return [
        ...(await signedBy("the known one second", unknownSecret, secret)),
        ...(await signedBy("the known one first", secret, unknownSecret)),
      ];
    },
    judge: (answers, evidence, marks) => {
      if (evidence.answers.get("wrong_secret")?.[0]?.kind === "accepted")
        return because("wrong_secret", marks);
      if (answers.some((answer) => answer.kind === "busy")) return NOT_NOW;
      const failing = answers.filter((answer) => answer.kind !== "accepted");
      if (failing.some((answer) => !isRefusal(answer, evidence))) return fault("rotation_crashes");
      const [fitsSecond, fitsFirst] = answers;
      if (fitsSecond!.kind === "accepted") return accepting(answers, "last_signature_only");
      return fault(fitsFirst?.kind === "accepted" ? "first_signature_only" : "one_signature_only");
    },
  },

  retry: {
    title: "a retry after its 5xx",
    sent: "an event it rejected with a 5xx, or else one it accepted, again",
    expected: "2xx, and the work done this time",
    send: (session) =>
      session.again("an earlier event as a retry", session.crashed?.event ?? session.accepted!.event),
    judge: ([first], evidence, marks) => {
      const answer = first!;
      const { retried } = evidence;
      if (answer.kind === "accepted") {
        if (retried === null)
          return unseen(
            "It never returned 5xx, so this could not be tested; an event it had accepted was sent again instead.",
          );
        const isRemembered = isRecognized(answer, evidence);
        if (isRemembered === undefined)
          return unseen("Responses do not show if it did the work this time: check your data.");
        return isRemembered ? fault("retry") : accepting([answer], "retry");
      }
      if (answer.kind === "busy") return NOT_NOW;
      // Without an earlier 5xx this is a duplicate; with one, the event may fail again in the same way.
      const source = retried ?? "duplicate";
      const isSame = retried === null || answer.kind !== "refused";
      const isKnown = marks.get(source)?.verdict === "fail" || marks.get(source)?.because !== undefined;
      return isSame && isKnown ? because(source, marks) : fault("retry");
    },
  },

  simultaneous: {
    title: "the same at the same time",
    sent: `one new event, ${COPIES} times at once`,
    expected: "2xx each time, and the work done once",
    send: (session) =>
      session.crowd(COPIES, () => {
        const event = fresh(session);
        return Array.from({ length: COPIES }, () => event);
      }),
    judge: (answers, _evidence, marks) => {
      const found = acceptingCrowd(answers, "simultaneous", marks);
      if (found.fault === "simultaneous" && marks.get("duplicate")?.fault === "duplicates")
        return because("duplicate");
      return found === PASS
        ? unseen(
            "Responses do not show if it did the work once: let a unique key on the event's id decide which copy is first.",
          )
        : found;
    },
  },

  burst: {
    title: "a burst in parallel",
    sent: `${BURST} events of ${BURST} charges at once`,
    expected: "2xx each time",
    send: (session) => session.crowd(BURST, () => Array.from({ length: BURST }, () => fresh(session))),
    judge: (answers, _evidence, marks) => acceptingCrowd(answers, "burst", marks),
  },
} as const satisfies Readonly<Partial<Record<Probe, GenuineProbe>>>;

/** Failures of concurrent requests say nothing about a receiver that fails at random. */
function acceptingCrowd(answers: readonly Answer[], name: FaultName, marks: Marks): Mark {
  const found = accepting(answers, name);
  const [flaky] = [...marks].find(([, mark]) => mark.fault === "fails_now_and_then") ?? [];
  return found.fault === name && flaky !== undefined ? because(flaky) : found;
}

/** Sends the events of one new charge, in order or reversed. */
async function sendLife(session: Session, isReversed: boolean): Promise<Answer[]> {
  const { samples } = session;
  const charges = samples.life("COMPLETED");
  const answers: Answer[] = [];
  for (const charge of isReversed ? charges.reverse() : charges)
    answers.push(
      ...(await session.genuine(
        `${isReversed ? REVERSED : IN_ORDER}: charge.${charge.status.toLowerCase()}`,
        () => samples.event(charge),
      )),
    );
  return answers;
}
