import { type Answer, PROBES, type Probe } from "../../core/schema/receiver-report.js";
import type { SignatureScheme } from "../../core/schema/signature-schemes.js";
import type { AppObserver } from "./app-observer.js";
import { CONTENT_PROBES } from "./event-contents.js";
import { INVALID_SIGNATURE_PROBES } from "./invalid-signatures.js";
import type {
  InvalidSignatureProbe,
  Observation,
  ObservationProbe,
  ProbeEvidence,
  ValidEventProbe,
} from "./probe.js";
import type { ProbeSession } from "./probe-session.js";
import { VALID_EVENT_PROBES } from "./valid-events.js";

export const PROBE_DEFINITIONS: Readonly<
  Record<Probe, ValidEventProbe | InvalidSignatureProbe | ObservationProbe>
> = {
  ...VALID_EVENT_PROBES,
  ...CONTENT_PROBES,
  ...INVALID_SIGNATURE_PROBES,
  amount: {
    title: "a false amount",
    sent: "an event, properly signed, with an amount that is not the charge's",
    expected: "the amount of the order, or of the charge as the service has it",
    isObservedOnly: true,
    needs: "only --observe can see its effect",
  },
  early: {
    title: "an event before the response",
    sent: "the event of a charge before the app gets the response that created it",
    expected: "2xx, and the work done once the app knows the charge",
    isObservedOnly: true,
    needs: "only with --order does the app make a call that a webhook can overtake",
  },
};

export function outOfScopeReason(probe: Probe, scheme: SignatureScheme): string | undefined {
  return PROBE_DEFINITIONS[probe].outOfScope?.(scheme);
}

/** Sends the probes in order. Stops if the receiver accepts nothing or is gone. */
export async function sendProbes(
  session: ProbeSession,
  observer: AppObserver | undefined,
  onProbe: (probe: Probe, evidence: ProbeEvidence) => void,
): Promise<ProbeEvidence> {
  const answers = new Map<Probe, readonly Answer[]>();
  const sights = new Map<Probe, Observation>();
  let evidence: ProbeEvidence = { answers, observations: sights, stoppedAt: null, retried: null };
  for (const probe of PROBES) {
    session.probe = probe;
    if (probe === "retry") {
      const crashed = (session.retried = session.findCrashedEvent());
      if (crashed !== undefined)
        evidence = { ...evidence, retried: { ...crashed, isAccepted: session.hasAccepted(crashed.event) } };
    }
    const row = PROBE_DEFINITIONS[probe];
    if ("send" in row && outOfScopeReason(probe, session.scheme) === undefined) {
      const sent = await row.send(session);
      answers.set(probe, sent);
      const acceptsNothing = probe === "valid" && session.firstAccepted === undefined;
      const isGone = sent.every((answer) => answer.kind === "unreachable");
      if (acceptsNothing || isGone) evidence = { ...evidence, stoppedAt: probe };
    }
    const sight = evidence.stoppedAt === null ? await observer?.observe(probe) : undefined;
    if (sight !== undefined) sights.set(probe, sight);
    onProbe(probe, evidence);
    if (evidence.stoppedAt !== null) break;
  }
  return evidence;
}
