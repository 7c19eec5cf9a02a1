import { UserError } from "../../../core/schema/user-error.js";
import { timersFault } from "../../../core/time/app-timers.js";
import { type AsAsked, readAsked } from "../asked-options.js";
import type { ExploreReport } from "../exploration.js";
import { explore } from "../explore.js";
import type { ExploreOptions } from "../explorer.js";
import { checkFlow, type ExploreFlow } from "./flow.js";
import { FunctionDeviable } from "./function-deviable.js";
import type { LocalSandbox } from "./local-sandbox.js";

/** An exploration has the timers of the process. */
let isExploring = false;

/** Explores a flow that is a function of this process. Throws a UserError for a flow that fails with nothing going wrong. */
export async function exploreFunction(
  flow: ExploreFlow,
  options: AsAsked<Omit<ExploreOptions, "lanes">>,
  sandbox: () => LocalSandbox,
): Promise<ExploreReport> {
  checkFlow(flow);
  const all = readAsked(options, flow.lives !== undefined);
  if (isExploring)
    throw new UserError(
      "explore: another exploration has the timers of this process: run one test at a time",
    );
  const fault = timersFault();
  if (fault !== undefined) throw new UserError(`explore: ${fault}`);
  isExploring = true;
  let deviable: FunctionDeviable | undefined;
  try {
    return await explore(async () => (deviable = await FunctionDeviable.open(flow, sandbox())), all);
  } catch (error) {
    // The error of the test's own line says more than its text.
    if (error instanceof UserError && deviable?.error !== undefined) error.cause = deviable.error;
    throw error;
  } finally {
    isExploring = false;
  }
}
