import { isSuccessStatus } from "../../../core/schema/http-response.js";
import { Client } from "../../scenario/running/client.js";
import type { RunPlan } from "../run-plan.js";
import type { RaceSide, WebhookOccurrence } from "../run-record.js";

export interface KillableApp {
  /** Kills the app and starts it again. Resolves when it listens, or when it has failed to start. */
  restart(): Promise<void>;
  untilUp(): Promise<void>;
  /** Resolves when no lease of the killed process on a job can last any longer. */
  untilLeasesEnd(signal: AbortSignal | undefined): Promise<void>;
  /**
   * Restarts the app at a webhook, once.
   *
   * @param side `first`: while the app handles the webhook; `second`: as soon as it has responded
   * @returns a function that ends the wait for the webhook
   */
  restartAt(webhook: WebhookOccurrence, side: RaceSide): () => void;
}

/** Start of the name of the runs' rules. */
export const RULES_NAME = "explore-";
/** Maximum wall time until the call at which the app is killed. */
const KILL_WAIT_MS = 600_000;

/** Kills the app at the moment of the plan. Returns a function that ends the wait for the moment. */
export function killApp(
  app: KillableApp,
  { killMoment, variant }: RunPlan,
  access: ConstructorParameters<typeof Client>[0],
): () => Promise<void> | void {
  if ("type" in killMoment!) return app.restartAt(killMoment, variant.side);
  const client = new Client(access);
  const match = { operation: killMoment!.operation, in_flight: true, fault: `${RULES_NAME}*` };
  const killed = client
    .wait({ for: "request", match, timeout: `${KILL_WAIT_MS}ms` }, KILL_WAIT_MS)
    .then(({ status }) => (isSuccessStatus(status) ? app.restart() : undefined))
    .catch(() => {});
  return () => {
    client.abort();
    return killed;
  };
}
