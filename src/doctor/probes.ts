import type { SignatureScheme } from "../schema/webhooks.js";
import { FORGED } from "./forged.js";
import { GENUINE } from "./genuine.js";
import type { Evidence, ForgedProbe, GenuineProbe, Memory } from "./probe.js";
import { type Answer, PROBES, type Probe } from "./report.js";
import type { Session } from "./session.js";

/** Every probe: how it reads, what it sends, and what its answers show. */
export const PROBE_ROWS: Readonly<Record<Probe, GenuineProbe | ForgedProbe>> = { ...GENUINE, ...FORGED };

/** Why a scheme leaves a receiver no means to pass a probe; undefined where it has them. */
export function outOfScope(probe: Probe, scheme: SignatureScheme): string | undefined {
  return PROBE_ROWS[probe].outOfScope?.(scheme);
}

/** Sends the probes one after the other. Stops when there is nothing left to learn. */
export async function collect(session: Session): Promise<Evidence> {
  const answers = new Map<Probe, readonly Answer[]>();
  const memory: Memory = { accepted: undefined, crashed: undefined };
  let retried: Probe | null = null;
  for (const probe of PROBES) {
    if (outOfScope(probe, session.scheme) !== undefined) continue;
    if (probe === "retry") retried = memory.crashed?.probe ?? null;
    const found = await PROBE_ROWS[probe].send(session, memory);
    answers.set(probe, found);
    const takesNothing = probe === "valid" && !found.some((answer) => answer.kind === "accepted");
    const isGone = found.every((answer) => answer.kind === "unreachable");
    if (takesNothing || isGone) return { answers, stoppedAt: probe, retried };
  }
  return { answers, stoppedAt: null, retried };
}
