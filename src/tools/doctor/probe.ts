import type { Answer, Probe } from "../../core/schema/receiver-report.js";
import type { SignatureScheme } from "../../core/schema/webhooks.js";
import type { FaultName } from "./faults.js";
import type { Mark, Marks } from "./marks.js";
import type { SampleEvent } from "./samples.js";
import type { Session } from "./session.js";
import type { Sight } from "./sight.js";

/** What came back, probe by probe, and why the rest was not sent. */
export interface Evidence {
  readonly answers: ReadonlyMap<Probe, readonly Answer[]>;
  /** The probe after which nothing more was sent, as the receiver takes nothing, or is gone. */
  readonly stoppedAt: Probe | null;
  /** The probe whose event had got a 5xx and was sent again by the probe "retry". */
  readonly retried: Probe | null;
  /** What the app's own view showed. */
  readonly sights: ReadonlyMap<Probe, Sight>;
}

interface ProbeRow {
  /** How it reads: in a few words, what is sent, what a good receiver does. */
  readonly title: string;
  readonly sent: string;
  readonly expected: string;
  /** Why a scheme leaves a receiver no means to pass it; undefined where it has them. */
  readonly outOfScope?: (scheme: SignatureScheme) => string | undefined;
}

interface SentProbe extends ProbeRow {
  readonly send: (session: Session) => Promise<readonly Answer[]>;
}

/** An event a good receiver accepts. */
export interface GenuineProbe extends SentProbe {
  /** `answers` has each thing that was sent once: as it came out at last. */
  readonly judge: (answers: readonly Answer[], evidence: Evidence, marks: Marks) => Mark;
}

/** One it refuses; all of these are judged together. */
export interface ForgedProbe extends SentProbe {
  /** What it shows when it is accepted. */
  readonly accepted: FaultName;
  /** Where that one is accepted, too, it is the same fault. */
  readonly sameAs?: Probe;
}

/** One that answers tell nothing of. */
export interface SeenProbe extends ProbeRow {
  readonly isSeenOnly: true;
  /** Why it is not tried without eyes that can see it. */
  readonly needs: string;
}

/** A new event about a new charge. */
export function fresh({ samples }: Session): SampleEvent {
  return samples.event(samples.charge());
}
