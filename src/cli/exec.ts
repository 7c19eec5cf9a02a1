import { UserError } from "../schema/user-error.js";
import { Runner } from "./exec/command.js";
import { parseTemplate } from "./exec/environment.js";
import type { Plan } from "./exec/plan.js";
import { runBeside } from "./exec/run.js";
import { strictFaults } from "./exec/strict.js";
import type { ExplorationFlags } from "./exploration.js";
import { EXPLORE_FLAGS } from "./explore-options.js";
import { startOptions } from "./options.js";
import { tellLastWords } from "./own-process.js";
import { Required } from "./required.js";
import { tellLine } from "./terminal.js";

/** The flags of `exec` besides those of `start`. */
interface ExecFlags extends ExplorationFlags {
  readonly explore?: string;
  readonly env?: readonly string[];
  readonly artifacts?: string;
  readonly under?: readonly string[];
  readonly underReport?: string;
  readonly seeds?: string;
  readonly strict?: boolean;
  readonly reconcile?: string;
  readonly require?: string;
  readonly leftBehind?: string;
}

/** `exec`: a sandbox on a free port, the command with what it needs in its environment, the command's own exit code. */
export async function exec(
  command: readonly string[],
  flags: Readonly<Record<string, unknown>> & ExecFlags,
): Promise<void> {
  if (flags.leftBehind !== undefined)
    return (await import("./exec/left-behind.js")).endLeftBehind(flags.leftBehind);
  refuseMixed(flags);
  const options = await startOptions(flags);
  const templates = (flags.env ?? []).map(parseTemplate);
  const required = flags.require === undefined ? undefined : new Required(flags.require);
  const under =
    (flags.under ?? flags.underReport ?? flags.seeds) === undefined
      ? undefined
      : await (await import("./exec/under.js")).readUnder(flags.under ?? [], flags, options);
  const exploring =
    flags.explore === undefined
      ? undefined
      : (await import("./exec/explore.js")).readExplore(flags.explore, flags);
  const artifacts =
    flags.artifacts === undefined
      ? undefined
      : (await import("./exec/artifacts.js")).openArtifacts(flags.artifacts);
  tellLastWords(options.data);
  const notice = (text: string): void => {
    if (!options.quiet) tellLine(text);
  };
  const runner = new Runner(notice);
  const isStrict = flags.strict === true;
  const plan: Plan = {
    command,
    options,
    templates,
    runner,
    artifacts,
    notice,
    isStrict,
    reconcile: flags.reconcile,
    required,
  };
  try {
    const code = await (under ?? exploring ?? runOnce)(plan);
    process.exitCode = tellUnmet(plan) && code === 0 ? 1 : code;
  } finally {
    await runner.close();
  }
}

/** What is done with a command that comes to its end. */
const OF_A_RUN = ["under", "underReport", "seeds", "strict", "reconcile", "require", "artifacts"] as const;

/** Flags that mean nothing together are a mistake: one of them would be passed over. */
function refuseMixed(flags: Readonly<Record<string, unknown>> & ExecFlags): void {
  const isExploring = flags.explore !== undefined;
  const odd = (isExploring ? OF_A_RUN : EXPLORE_FLAGS).find((name) => flags[name] !== undefined);
  if (odd === undefined) return;
  const flag = `--${odd.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new UserError(
    isExploring ? `${flag} cannot go with --explore` : `${flag} goes with --explore, which names the flow`,
  );
}

/** Whether something is left that has to be met, which is told. */
function tellUnmet({ required, runner }: Plan): boolean {
  const unmet = required?.unmet ?? [];
  if (unmet.length === 0 || runner.asked !== undefined) return false;
  tellLine(`--require: never met: ${unmet.join(", ")}`);
  return true;
}

async function runOnce(plan: Plan): Promise<number> {
  const ran = await runBeside(plan);
  const faults = plan.isStrict ? strictFaults(ran, plan.options.scenario ?? []) : [];
  for (const fault of faults) tellLine(fault);
  return ran.code === 0 && faults.length > 0 ? 1 : ran.code;
}
