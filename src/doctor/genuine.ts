import type { FaultName } from "./faults.js";
import { FORGED, forged } from "./forged.js";
import { accepting, because, fault, NOT_NOW, PASS, unseen } from "./marks.js";
import { fresh, type GenuineProbe, type Memory } from "./probe.js";
import type { Answer, AnswerKind, Probe } from "./report.js";
import type { SampleEvent } from "./samples.js";
import type { Session } from "./session.js";

const BURST = 20;

/** What is not only refused. */
const NOT_VALID: Readonly<Record<Exclude<AnswerKind, "accepted" | "refused" | "unreachable">, FaultName>> = {
  crashed: "crashes_on_valid_events",
  timeout: "too_slow",
  redirected: "redirects",
  broken: "breaks_connection",
  busy: "busy",
};

const REVERSED = "reversed";
const IN_ORDER = "in order";
const UNICODE = "names in many scripts";
const OTHER_SPELLING = "the same JSON in another spelling";

/** Events as the service sends them, in every way it does. */
export const GENUINE = {
  valid: {
    title: "a valid event",
    sent: "charge.awaiting_payment, properly signed",
    expected: "2xx, within seconds",
    send: async (session, memory) => {
      const event = fresh(session);
      const first = await keep(session.send("a valid event", event), "valid", event, memory);
      if (first.kind === "refused") {
        // Where a forged one is answered otherwise, the signature was fine and the content is what it refuses.
        if (FORGED.wrong_secret.outOfScope(session.scheme) !== undefined) return [first];
        return [first, await forged(session, "another, with a wrong secret, to compare")];
      }
      // Servers in development compile on the first request, and fail or are slow just once.
      if (first.kind !== "crashed" && first.kind !== "timeout") return [first];
      const second = fresh(session);
      const again = await session.send("another valid event", second);
      if (again.kind === "accepted") memory.accepted = second;
      return [first, again];
    },
    judge: ([answer, second]) => {
      const first = answer!;
      const { kind } = first;
      if (kind === "accepted" || kind === "unreachable") return accepting([first], "crashes_on_valid_events");
      if (kind === "refused")
        return fault(
          second !== undefined && second.status !== first.status ? "refuses_content" : "refuses_valid_events",
        );
      return fault(
        kind === "crashed" && second?.kind === "accepted" ? "first_request_fails" : NOT_VALID[kind],
      );
    },
  },

  duplicate: {
    title: "the same again",
    sent: "the event it accepted, once more, freshly signed",
    expected: "2xx, and nothing done twice",
    send: async (session, { accepted }) => [await session.send("the same event again", accepted!)],
    judge: (answers) => {
      const found = accepting(answers, "duplicates");
      return found === PASS && !saysItKnows(answers[0]!)
        ? unseen(
            "Whether it did the work twice cannot be seen from here: keep the ids of the events you have handled, and look there first.",
          )
        : found;
    },
  },

  unknown_type: {
    title: "an unknown event type",
    sent: "charge.review_opened, properly signed",
    expected: "2xx, and nothing done",
    send: async (session, memory) => {
      const event = session.samples.event(session.samples.charge(), "charge.review_opened");
      return [await keep(session.send("charge.review_opened", event), "unknown_type", event, memory)];
    },
    judge: (answers) => accepting(answers, "unknown_type"),
  },

  reordered: {
    title: "events in reverse",
    sent: "one charge's completed, processing and awaiting_payment, in this order",
    expected: "2xx each time, and the charge stays completed",
    send: async (session, memory) => {
      const reversed = await life(session, memory, true);
      // Whether the order is what it stumbles on, or one of these events by itself.
      return reversed.every((answer) => answer.kind === "accepted")
        ? reversed
        : [...reversed, ...(await life(session, memory, false))];
    },
    judge: (answers) => {
      const sentAs = (how: string) => answers.filter(({ sent }) => sent.startsWith(how));
      const reversed = accepting(sentAs(REVERSED), "reordered");
      if (reversed === PASS)
        return unseen(
          "Whether it kept the later status cannot be seen from here: the charge must still be completed in your data.",
        );
      if (reversed.fault !== "reordered") return reversed;
      const inOrder = sentAs(IN_ORDER);
      return inOrder.length > 0 && accepting(inOrder, "lifecycle").fault === "lifecycle"
        ? fault("lifecycle")
        : reversed;
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
      return [
        await session.send("the known one second", fresh(session), { secrets: [unknownSecret, secret] }),
        await session.send("the known one first", fresh(session), { secrets: [secret, unknownSecret] }),
      ];
    },
    judge: (answers, evidence, marks) => {
      if (evidence.answers.get("wrong_secret")?.[0]?.kind === "accepted")
        return because("wrong_secret", marks);
      if (answers.some((answer) => answer.kind === "busy")) return NOT_NOW;
      const [fitsSecond, fitsFirst] = answers;
      if (fitsSecond!.kind === "accepted") return accepting(answers, "last_signature_only");
      return fault(fitsFirst?.kind === "accepted" ? "first_signature_only" : "one_signature_only");
    },
  },

  retry: {
    title: "a retry after its 5xx",
    sent: "an event it answered with a 5xx, or else one it accepted, again",
    expected: "2xx, and the work done this time",
    send: async (session, { accepted, crashed }) => [
      await session.send("an earlier event as a retry", crashed?.event ?? accepted!),
    ],
    judge: ([first], { retried }, marks) => {
      const answer = first!;
      if (answer.kind === "accepted") {
        if (retried === null)
          return unseen(
            "It never answered 5xx, so this could not be exercised; an event it had accepted was sent again instead.",
          );
        return saysItKnows(answer) ? fault("retry") : accepting([answer], "retry");
      }
      if (answer.kind === "busy") return NOT_NOW;
      // Never having seen a 5xx, this is one more duplicate; having seen one, the same event may fail the same way.
      const source = retried ?? "duplicate";
      const isSame = retried === null || answer.kind !== "refused";
      return isSame && marks.get(source)?.verdict === "fail" ? because(source) : fault("retry");
    },
  },

  unicode: {
    title: "unicode, unknown fields",
    sent: "names in many scripts; fields it cannot know; the same JSON with other spaces and escapes",
    expected: "2xx each time",
    send: async (session) => {
      const { samples } = session;
      const named = samples.charge({
        customer_name: "Zoë Ọláyínká 李 😀",
        metadata: { note: "₦ ≠ ¥ – «ẞ» 👩🏾‍💻", ключ: "значение" },
      });
      return [
        await session.send(UNICODE, samples.event(named)),
        await session.send("fields it cannot know", samples.eventFromTheFuture(samples.charge())),
        await session.send(OTHER_SPELLING, samples.eventSpelledOtherwise()),
      ];
    },
    judge: (answers) => {
      const isRefused = (what: string) => answers.some((one) => one.sent === what && !isFine(one));
      if (isRefused(OTHER_SPELLING)) return accepting(answers, "reserialized_body");
      return accepting(answers, isRefused(UNICODE) ? "unicode" : "unknown_fields");
    },
  },

  burst: {
    title: "a burst in parallel",
    sent: `${BURST} events of ${BURST} charges at once`,
    expected: "2xx each time",
    send: async (session) => {
      const events = Array.from({ length: BURST }, () => fresh(session));
      return Promise.all(events.map((event, index) => session.send(`${index + 1} of ${BURST}`, event)));
    },
    judge: (answers) => accepting(answers, "burst"),
  },
} as const satisfies Readonly<Partial<Record<Probe, GenuineProbe>>>;

function isFine({ kind }: Answer): boolean {
  return kind === "accepted" || kind === "busy";
}

/** Whether an answer says that the event is no news: the only way to see from outside that it was recognized. */
function saysItKnows({ status, body }: Answer): boolean {
  return status === 208 || /duplicate|already|processed before|seen before/i.test(body);
}

/** Remembers an event by how it was answered; the first of each kind. */
async function keep(
  sent: Promise<Answer>,
  probe: Probe,
  event: SampleEvent,
  memory: Memory,
): Promise<Answer> {
  const answer = await sent;
  if (answer.kind === "accepted") memory.accepted ??= event;
  if (answer.kind === "crashed") memory.crashed ??= { probe, event };
  return answer;
}

/** The events of one new charge, first to last or the other way round. */
async function life(session: Session, memory: Memory, isReversed: boolean): Promise<Answer[]> {
  const { samples } = session;
  const waiting = samples.charge();
  const processing = samples.later(waiting, "PROCESSING");
  const charges = [waiting, processing, samples.later(processing, "COMPLETED")];
  const events = charges.map((charge) => ({
    type: `charge.${charge.status.toLowerCase()}`,
    event: samples.event(charge),
  }));
  const answers: Answer[] = [];
  for (const { type, event } of isReversed ? events.reverse() : events) {
    const sent = session.send(`${isReversed ? REVERSED : IN_ORDER}: ${type}`, event);
    answers.push(await keep(sent, "reordered", event, memory));
  }
  return answers;
}
