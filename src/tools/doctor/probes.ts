import { type Answer, PROBES, type Probe } from "../../core/schema/receiver-report.js";
import type { SignatureScheme } from "../../core/schema/webhooks.js";
import { CONTENTS } from "./contents.js";
import type { Eyes } from "./eyes.js";
import { FORGED } from "./forged.js";
import { GENUINE } from "./genuine.js";
import type { Evidence, ForgedProbe, GenuineProbe, SeenProbe, Sight } from "./probe.js";
import type { Session } from "./session.js";

/** Every probe by its id. */
export const PROBE_ROWS: Readonly<Record<Probe, GenuineProbe | ForgedProbe | SeenProbe>> = {
  ...GENUINE,
  ...CONTENTS,
  ...FORGED,
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

export function outOfScope(probe: Probe, scheme: SignatureScheme): string | undefined {
  return PROBE_ROWS[probe].outOfScope?.(scheme);
}

/** Sends the probes in order. Stops if the receiver accepts nothing or is gone. */
export async function collect(
  session: Session,
  observer: Eyes | undefined,
  onProbe: (probe: Probe, evidence: Evidence) => void,
): Promise<Evidence> {
  const answers = new Map<Probe, readonly Answer[]>();
  const sights = new Map<Probe, Sight>();
  let evidence: Evidence = { answers, sights, stoppedAt: null, retried: null };
  for (const probe of PROBES) {
    session.probe = probe;
    if (probe === "retry") evidence = { ...evidence, retried: session.crashed?.probe ?? null };
    const row = PROBE_ROWS[probe];
    if ("send" in row && outOfScope(probe, session.scheme) === undefined) {
      const sent = await row.send(session);
      answers.set(probe, sent);
      const acceptsNothing = probe === "valid" && session.accepted === undefined;
      const isGone = sent.every((answer) => answer.kind === "unreachable");
      if (acceptsNothing || isGone) evidence = { ...evidence, stoppedAt: probe };
    }
    const sight = evidence.stoppedAt === null ? await observer?.see(probe) : undefined;
    if (sight !== undefined) sights.set(probe, sight);
    onProbe(probe, evidence);
    if (evidence.stoppedAt !== null) break;
  }
  return evidence;
}
