import type { SignatureScheme } from "../schema/webhooks.js";
import { CONTENTS } from "./contents.js";
import { FORGED } from "./forged.js";
import { GENUINE } from "./genuine.js";
import type { Evidence, ForgedProbe, GenuineProbe } from "./probe.js";
import { type Answer, PROBES, type Probe } from "./report.js";
import type { Session } from "./session.js";

/** Every probe: how it reads, what it sends, and what its answers show. */
export const PROBE_ROWS: Readonly<Record<Probe, GenuineProbe | ForgedProbe>> = {
  ...GENUINE,
  ...CONTENTS,
  ...FORGED,
};

/** Why a scheme leaves a receiver no means to pass a probe; undefined where it has them. */
export function outOfScope(probe: Probe, scheme: SignatureScheme): string | undefined {
  return PROBE_ROWS[probe].outOfScope?.(scheme);
}

/** Sends the probes one after the other, and tells of each. Stops when there is nothing left to learn. */
export async function collect(
  session: Session,
  onProbe: (probe: Probe, evidence: Evidence) => void,
): Promise<Evidence> {
  const answers = new Map<Probe, readonly Answer[]>();
  let evidence: Evidence = { answers, stoppedAt: null, retried: null };
  for (const probe of PROBES) {
    session.probe = probe;
    if (probe === "retry") evidence = { ...evidence, retried: session.crashed?.probe ?? null };
    if (outOfScope(probe, session.scheme) === undefined) {
      const found = await PROBE_ROWS[probe].send(session);
      answers.set(probe, found);
      const takesNothing = probe === "valid" && session.accepted === undefined;
      const isGone = found.every((answer) => answer.kind === "unreachable");
      if (takesNothing || isGone) evidence = { ...evidence, stoppedAt: probe };
    }
    onProbe(probe, evidence);
    if (evidence.stoppedAt !== null) break;
  }
  return evidence;
}
