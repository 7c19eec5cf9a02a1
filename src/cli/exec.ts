import { UserError } from "../core/schema/user-error.js";
import { RequiredCoverage } from "./coverage-list.js";
import { findStrictFailures } from "./exec/applied-rules.js";
import { CommandRunner } from "./exec/command.js";
import { type ExecPlan, parseEnvironmentTemplate } from "./exec/plan.js";
import { runBesideSandbox } from "./exec/run-command.js";
import type { ExplorationFlags } from "./explore-report.js";
import { EXPLORE_OPTION_NAMES, findUsedFlag, readStartOptions } from "./options.js";
import { prepareOutputs } from "./output-files.js";
import { exitOnUncaughtError } from "./process-handlers.js";
import { printErrorLine } from "./terminal.js";

interface ExecFlags extends ExplorationFlags {
  readonly explore?: string;
  readonly env?: readonly string[];
  readonly artifacts?: string;
  readonly under?: readonly string[];
  readonly strict?: boolean;
  readonly reconcile?: string;
  readonly require?: string;
}

/** `exec`: runs a command with a sandbox's address and keys in its environment. `words` follow `exec`. */
export async function exec(
  command: readonly string[],
  flags: Readonly<Record<string, unknown>> & ExecFlags,
  words: readonly string[],
): Promise<void> {
  refuseMixed(flags);
  const options = await readStartOptions(flags);
  const templates = (flags.env ?? []).map(parseEnvironmentTemplate);
  prepareOutputs(flags);
  const required = flags.require === undefined ? undefined : new RequiredCoverage(flags.require);
  const under =
    flags.under === undefined
      ? undefined
      : await (await import("./exec/under.js")).prepareMatrix(flags.under, options);
  const exploring =
    flags.explore === undefined
      ? undefined
      : (await import("./exec/explore.js")).prepareExploration(flags.explore, flags);
  const artifacts =
    flags.artifacts === undefined
      ? undefined
      : new (await import("./exec/artifacts.js")).ArtifactsFolder(flags.artifacts);
  exitOnUncaughtError(options.data);
  const notice = (text: string): void => {
    if (!options.quiet) printErrorLine(text);
  };
  const runner = new CommandRunner(notice);
  const isStrict = flags.strict === true;
  const plan: ExecPlan = {
    command,
    flagWords: words.slice(0, -command.length).filter((word) => word !== "--"),
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
    process.exitCode = printMissing(plan) && code === 0 ? 1 : code;
  } finally {
    await runner.close();
  }
}

/** Flags for a command that ends by itself. With `--explore`, the command is an app that keeps running. */
const RUN_FLAGS = ["under", "reconcile", "require", "artifacts"] as const;

/** Refuses `RUN_FLAGS` with `--explore`. Refuses the options of an exploration if `--explore` is absent. */
function refuseMixed(flags: Readonly<Record<string, unknown>> & ExecFlags): void {
  const isExploring = flags.explore !== undefined;
  const flag = findUsedFlag(flags, isExploring ? RUN_FLAGS : [...EXPLORE_OPTION_NAMES, "kill"]);
  if (flag === undefined) return;
  throw new UserError(
    isExploring ? `${flag} cannot go with --explore` : `${flag} goes with --explore, which names the flow`,
  );
}

/** Prints the requirements of `--require` that were not met; returns true if there are any. */
function printMissing({ required, runner }: ExecPlan): boolean {
  const unmet = required?.unmet ?? [];
  if (unmet.length === 0 || runner.stopSignal !== undefined) return false;
  printErrorLine(`--require: never met: ${unmet.join(", ")}`);
  return true;
}

async function runOnce(plan: ExecPlan): Promise<number> {
  const result = await runBesideSandbox(plan);
  const failures = plan.isStrict ? findStrictFailures(result, plan.options.scenario ?? []) : [];
  for (const failure of failures) printErrorLine(failure);
  return result.code === 0 && failures.length > 0 ? 1 : result.code;
}
