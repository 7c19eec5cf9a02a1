import type { FaultName } from "./faults.js";
import { because, fault, type Mark, NOT_NOW, PASS } from "./marks.js";
import type { Answer, AnswerKind, Probe } from "./report.js";

/** The probes that are not to be accepted, and what it shows when one of them is. */
const ACCEPTED: Readonly<Partial<Record<Probe, FaultName>>> = {
  tampered: "tampered_accepted",
  wrong_secret: "wrong_secret_accepted",
  unsigned: "unsigned_accepted",
  stale: "stale_accepted",
};

/** How a refusal may go wrong, whatever is refused. */
const BADLY_REFUSED: Readonly<Partial<Record<AnswerKind, FaultName>>> = {
  crashed: "refusals_crash",
  timeout: "refusals_hang",
  broken: "refusals_break",
  redirected: "refusals_redirect",
};

/**
 * Judges forgeries and the stale event together: who verifies nothing accepts them all, and that is one fault;
 * and so it is when all of them make it stumble in the same way.
 */
export function judgeForgeries(answers: ReadonlyMap<Probe, readonly Answer[]>): Map<Probe, Mark> {
  const kinds = new Map<Probe, AnswerKind>();
  for (const probe of Object.keys(ACCEPTED) as Probe[]) {
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
      if (common === undefined) marks.set(probe, fault(ACCEPTED[probe]!));
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
