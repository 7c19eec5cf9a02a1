import type { SandboxFetch } from "../../../core/client/control-client.js";
import type { ChargeRule, FaultRule, WebhookRule } from "../../../core/schema/scenario-rules.js";
import type { ReadRows } from "../sandbox/observation.js";

/** The rules of a run. The first that matches applies. */
export interface RunRules {
  readonly charges?: readonly ChargeRule[];
  readonly webhooks?: readonly WebhookRule[];
  readonly faults?: readonly FaultRule[];
}

/** A sandbox of this process, as the runs of a flow use it. The library implements it. */
export interface LocalSandbox {
  /** Calls the sandbox's APIs without a port. */
  readonly fetch: SandboxFetch;
  readonly runIdOf: (name: string) => string;
  readonly rowsSince: ReadRows;
  /** Sandbox time. */
  nowMs(): number;
  /** When the next task of the sandbox is due; Infinity without one. */
  nextTaskMs(): number;
  isAdvancing(): boolean;
  /** Resolves when everything up to the time is done. */
  advanceTo(toMs: number): Promise<void>;
  /** Replaces the rules of the run before. */
  useRules(rules: RunRules): void;
  /**
   * Holds the response to the next call that matches.
   *
   * @returns a function that ends the hold, and returns false if it has ended before
   */
  hold(match: FaultRule["match"]): () => boolean;
  /** Sends the responses that the run's rules, or `hold`, hold. */
  releaseHeld(): void;
  /** The response to a call of the app is held. */
  hasHeldCall(): boolean;
  /** Calls back at each call of the app, its end, and each stored change, until the returned function is called. */
  onActivity(note: () => void): () => void;
  /** Removes the rules. */
  close(): void;
}
