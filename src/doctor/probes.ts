import { type Answer, PROBES, type Probe } from "./report.js";
import type { SampleEvent } from "./samples.js";
import { outOfScope } from "./scope.js";
import type { Session } from "./session.js";

/** How old the stale event is: twice what the official libraries let pass. */
const STALE_MS = 10 * 60_000;
export const BURST = 20;

/** What came back, probe by probe, and why the rest was not sent. */
export interface Evidence {
  readonly answers: ReadonlyMap<Probe, readonly Answer[]>;
  /** The probe after which nothing more was sent, as the receiver takes nothing, or is gone. */
  readonly stoppedAt: Probe | null;
  /** The probe whose event had got a 5xx and was sent again by the probe "retry". */
  readonly retried: Probe | null;
}

/** Sends the probes one after the other. Stops when there is nothing left to learn. */
export async function collect(session: Session): Promise<Evidence> {
  const answers = new Map<Probe, readonly Answer[]>();
  const memory: Memory = { accepted: undefined, crashed: undefined };
  let retried: Probe | null = null;
  for (const probe of PROBES) {
    if (outOfScope(probe, session.scheme) !== undefined) continue;
    if (probe === "retry") retried = memory.crashed?.probe ?? null;
    const found = await SEND[probe](session, memory);
    answers.set(probe, found);
    const takesNothing = probe === "valid" && !found.some((answer) => answer.kind === "accepted");
    const isGone = found.every((answer) => answer.kind === "unreachable");
    if (takesNothing || isGone) return { answers, stoppedAt: probe, retried };
  }
  return { answers, stoppedAt: null, retried };
}

/** Events that later probes send again. */
interface Memory {
  accepted: SampleEvent | undefined;
  /** A properly signed event the receiver answered with a 5xx, and the probe that sent it. */
  crashed: { readonly probe: Probe; readonly event: SampleEvent } | undefined;
}

type Send = (session: Session, memory: Memory) => Promise<readonly Answer[]>;

const SEND: Readonly<Record<Probe, Send>> = {
  async valid(session, memory) {
    const event = fresh(session);
    const first = await keep(session.send("a valid event", event), "valid", event, memory);
    if (first.kind === "refused") {
      // Where a forged one is answered otherwise, the signature was fine and the content is what it refuses.
      if (outOfScope("wrong_secret", session.scheme) !== undefined) return [first];
      return [first, await forged(session, "another, with a wrong secret, to compare")];
    }
    // Servers in development compile on the first request, and fail or are slow just once.
    if (first.kind !== "crashed" && first.kind !== "timeout") return [first];
    const second = fresh(session);
    const again = await session.send("another valid event", second);
    if (again.kind === "accepted") memory.accepted = second;
    return [first, again];
  },

  async duplicate(session, { accepted }) {
    return [await session.send("the same event again", accepted!)];
  },

  async tampered(session) {
    const tamper = (body: string) => body.replace('"amount":"512.50"', '"amount":"51250.00"');
    return [await session.send("an event with another amount than was signed", fresh(session), { tamper })];
  },

  async wrong_secret(session) {
    return [await forged(session, "an event signed with another secret")];
  },

  async unsigned(session) {
    return [await session.send("an event without a signature", fresh(session), { isUnsigned: true })];
  },

  async stale(session) {
    return [await session.send("an event signed ten minutes ago", fresh(session), { ageMs: STALE_MS })];
  },

  async unknown_type(session, memory) {
    const event = session.samples.event(session.samples.charge(), "charge.review_opened");
    return [await keep(session.send("charge.review_opened", event), "unknown_type", event, memory)];
  },

  async reordered(session, memory) {
    const reversed = await life(session, memory, true);
    // Whether the order is what it stumbles on, or one of these events by itself.
    return reversed.every((answer) => answer.kind === "accepted")
      ? reversed
      : [...reversed, ...(await life(session, memory, false))];
  },

  async rotated_secret(session) {
    const { secret, unknownSecret } = session;
    return [
      await session.send("the known one second", fresh(session), { secrets: [unknownSecret, secret] }),
      await session.send("the known one first", fresh(session), { secrets: [secret, unknownSecret] }),
    ];
  },

  async retry(session, { accepted, crashed }) {
    const event = crashed?.event ?? accepted!;
    return [await session.send("an earlier event as a retry", event)];
  },

  async unicode(session) {
    const { samples } = session;
    const named = samples.charge({
      customer_name: "Zoë Ọláyínká 李 😀",
      metadata: { note: "₦ ≠ ¥ – «ẞ» 👩🏾‍💻", ключ: "значение" },
    });
    return [
      await session.send(UNICODE, samples.event(named)),
      await session.send(UNKNOWN_FIELDS, samples.eventFromTheFuture(samples.charge())),
      await session.send(OTHER_SPELLING, samples.eventSpelledOtherwise()),
    ];
  },

  async burst(session) {
    const events = Array.from({ length: BURST }, () => fresh(session));
    return Promise.all(events.map((event, index) => session.send(`${index + 1} of ${BURST}`, event)));
  },
};

export const UNICODE = "names in many scripts";
export const UNKNOWN_FIELDS = "fields it cannot know";
export const OTHER_SPELLING = "the same JSON in another spelling";
export const REVERSED = "reversed";
export const IN_ORDER = "in order";

function fresh({ samples }: Session): SampleEvent {
  return samples.event(samples.charge());
}

function forged(session: Session, sent: string): Promise<Answer> {
  return session.send(sent, fresh(session), { secrets: [session.unknownSecret] });
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
  for (const { type, event } of isReversed ? events.reverse() : events)
    answers.push(
      await keep(
        session.send(`${isReversed ? REVERSED : IN_ORDER}: ${type}`, event),
        "reordered",
        event,
        memory,
      ),
    );
  return answers;
}
