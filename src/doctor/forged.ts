import type { SignatureScheme } from "../schema/webhooks.js";
import type { FaultName } from "./faults.js";
import { because, fault, type Mark, NOT_NOW, PASS } from "./marks.js";
import { type ForgedProbe, fresh } from "./probe.js";
import type { Answer, AnswerKind, Probe } from "./report.js";
import type { Session } from "./session.js";

const REFUSED = "400 or 401, and nothing done";
const NOTHING_SIGNED = "nothing is signed, so a receiver cannot tell";

/** How old the stale event is: twice what the official libraries let pass. */
const STALE_MS = 10 * 60_000;

function unsignedScheme({ headers }: SignatureScheme): string | undefined {
  return Object.keys(headers).length > 0 ? undefined : NOTHING_SIGNED;
}

/** An event with a signature that does not fit. */
export function forged(session: Session, sent: string): Promise<Answer> {
  return session.send(sent, fresh(session), { secrets: [session.unknownSecret] });
}

/** Forgeries, and an event that was good once. */
export const FORGED = {
  tampered: {
    title: "a tampered body",
    sent: "an event whose amount was changed after it was signed",
    expected: REFUSED,
    accepted: "tampered_accepted",
    outOfScope: (scheme) =>
      unsignedScheme(scheme) ??
      (scheme.algorithm === null
        ? "this scheme sends the secret itself and signs nothing of the body, so a receiver cannot tell"
        : undefined),
    send: async (session) => {
      const tamper = (body: string) => body.replace('"amount":"512.50"', '"amount":"51250.00"');
      return [await session.send("an event with another amount than was signed", fresh(session), { tamper })];
    },
  },
  wrong_secret: {
    title: "a wrong secret",
    sent: "an event signed with another secret",
    expected: REFUSED,
    accepted: "wrong_secret_accepted",
    outOfScope: unsignedScheme,
    send: async (session) => [await forged(session, "an event signed with another secret")],
  },
  unsigned: {
    title: "no signature",
    sent: "an event without the signature's headers",
    expected: REFUSED,
    accepted: "unsigned_accepted",
    outOfScope: unsignedScheme,
    send: async (session) => [
      await session.send("an event without a signature", fresh(session), { isUnsigned: true }),
    ],
  },
  stale: {
    title: "a stale timestamp",
    sent: "an event with the right secret, signed ten minutes ago",
    expected: `${REFUSED}: it may be a recording`,
    accepted: "stale_accepted",
    outOfScope: ({ payload }) =>
      payload === "body"
        ? "this scheme signs no timestamp, so a receiver cannot tell an old request from a new one"
        : undefined,
    send: async (session) => [
      await session.send("an event signed ten minutes ago", fresh(session), { ageMs: STALE_MS }),
    ],
  },
} as const satisfies Readonly<Partial<Record<Probe, ForgedProbe>>>;

/** How a refusal may go wrong, whatever is refused. */
const BADLY_REFUSED: Readonly<Partial<Record<AnswerKind, FaultName>>> = {
  crashed: "refusals_crash",
  timeout: "refusals_hang",
  broken: "refusals_break",
  redirected: "refusals_redirect",
};

/**
 * Judges them together: who verifies nothing accepts them all, and that is one fault; and so it is when all of them
 * make it stumble in the same way.
 */
export function judgeForged(answers: ReadonlyMap<Probe, readonly Answer[]>): Map<Probe, Mark> {
  const kinds = new Map<keyof typeof FORGED, AnswerKind>();
  for (const probe of Object.keys(FORGED) as (keyof typeof FORGED)[]) {
    const answer = answers.get(probe)?.[0];
    if (answer !== undefined && answer.kind !== "unreachable") kinds.set(probe, answer.kind);
  }
  const accepted = [...kinds.keys()].filter((probe) => kinds.get(probe) === "accepted");
  const common = commonFault(kinds, accepted);
  const firstBad = new Map<AnswerKind, Probe>();
  const marks = new Map<Probe, Mark>();
  for (const [probe, kind] of kinds) {
    const badly = BADLY_REFUSED[kind];
    if (kind === "accepted") {
      if (common === undefined) marks.set(probe, fault(FORGED[probe].accepted));
      else marks.set(probe, probe === accepted[0] ? fault(common) : because(accepted[0]!));
    } else if (badly !== undefined) {
      const first = firstBad.get(kind);
      marks.set(probe, first === undefined ? fault(badly) : because(first));
      if (first === undefined) firstBad.set(kind, probe);
    } else marks.set(probe, kind === "busy" ? NOT_NOW : PASS);
  }
  return marks;
}

/** The one fault behind several that were accepted, if there is one. */
function commonFault(
  kinds: ReadonlyMap<Probe, AnswerKind>,
  accepted: readonly Probe[],
): FaultName | undefined {
  const compared = (["tampered", "wrong_secret"] as const).filter((probe) => kinds.has(probe));
  if (compared.length === 0 || !compared.every((probe) => accepted.includes(probe))) return undefined;
  if (accepted.includes("unsigned")) return "no_verification";
  return compared.length > 1 ? "signature_not_compared" : undefined;
}
