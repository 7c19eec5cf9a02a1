import { isSuccessStatus } from "../../../core/schema/http-response.js";
import type { LoadedScenario } from "../files.js";
import { flattenSteps } from "../loaded-steps.js";
import { STEPS } from "../steps/step-kinds.js";
import type { LogRow, StartState } from "./control-lists.js";

interface Attempt {
  readonly status: number | null;
}

/** Returns reasons why passing checks prove little; empty if there are none. */
export async function findBlindSpots({ steps }: LoadedScenario, startState: StartState): Promise<string[]> {
  const kinds = flattenSteps(steps).map(({ kind }) => kind);
  if (!kinds.some((kind) => STEPS[kind].traits.includes("checks")))
    return ["no step checks anything: add an expectation, such as expect_charge"];
  if (kinds.includes("expect_delivery")) return [];
  const rows = await startState.since("deliveries", (row) => attemptsOf(row).some(isAccepted));
  const message = unacceptedWebhooksMessage(rows.filter(({ mishap }) => mishap === null).flatMap(attemptsOf));
  return message === undefined ? [] : [message];
}

function attemptsOf({ attempts }: LogRow): readonly Attempt[] {
  return attempts as readonly Attempt[];
}

function isAccepted({ status }: Attempt): boolean {
  return isSuccessStatus(status);
}

/** Returns a message if there were webhook attempts and no receiver accepted one. */
export function unacceptedWebhooksMessage(attempts: readonly Attempt[]): string | undefined {
  if (attempts.length === 0 || attempts.some(isAccepted)) return undefined;
  const statuses = [...new Set(attempts.map(({ status }) => status ?? "no response"))].join(", ");
  return `the app accepted none of ${attempts.length} webhook attempts (${statuses}): check the receiver's URL`;
}
