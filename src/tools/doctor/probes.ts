import { type Answer, PROBES, type Probe } from "../../core/schema/receiver-report.js";
import type { SignatureScheme } from "../../core/schema/webhooks.js";
import { CONTENTS } from "./contents.js";
import type { Eyes } from "./eyes.js";
import { FORGED } from "./forged.js";
import { GENUINE } from "./genuine.js";
import type { Evidence, ForgedProbe, GenuineProbe, SeenProbe } from "./probe.js";
import type { Session } from "./session.js";
import type { Sight } from "./sight.js";

/** Every probe: how it reads, what it sends, and what its answers show. */
export const PROBE_ROWS: Readonly<Record<Probe, GenuineProbe | ForgedProbe | SeenProbe>> = {
  ...GENUINE,
  ...CONTENTS,
  ...FORGED,
  amount: {
    title: "a false amount",
    sent: "an event, properly signed, with an amount that is not the charge's",
    expected: "the amount of the order, or of the charge as the service has it",
    isSeenOnly: true,
    needs: "only --observe can see what becomes of it",
  },
  early: {
    title: "an event before the response",
    sent: "the event of a charge before the app gets the response that created it",
    expected: "2xx, and the work done once the app knows the charge",
    isSeenOnly: true,
    needs: "only with --order does the app make a call that can be overtaken",
  },
};

/** Why a scheme leaves a receiver no means to pass a probe; undefined where it has them. */
export function outOfScope(probe: Probe, scheme: SignatureScheme): string | undefined {
  return PROBE_ROWS[probe].outOfScope?.(scheme);
}

/** Sends the probes one after the other, and tells of each. Stops when there is nothing left to learn. */
export async function collect(
  session: Session,
  eyes: Eyes | undefined,
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
      const found = await row.send(session);
      answers.set(probe, found);
      const takesNothing = probe === "valid" && session.accepted === undefined;
      const isGone = found.every((answer) => answer.kind === "unreachable");
      if (takesNothing || isGone) evidence = { ...evidence, stoppedAt: probe };
    }
    const sight = evidence.stoppedAt === null ? await eyes?.see(probe) : undefined;
    if (sight !== undefined) sights.set(probe, sight);
    onProbe(probe, evidence);
    if (evidence.stoppedAt !== null) break;
  }
  return evidence;
}
