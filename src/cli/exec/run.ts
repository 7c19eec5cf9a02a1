import { openSandbox } from "../../opening.js";
import type { StartOptions } from "../../schema/option-table.js";
import { iso } from "../../schema/time.js";
import { machineNowMs } from "../../time/timers.js";
import type { Artifacts } from "./artifacts.js";
import type { Runner } from "./command.js";
import { environmentOf, type Template } from "./environment.js";

/** What is run, and how. */
export interface Plan {
  readonly command: readonly string[];
  readonly options: StartOptions;
  readonly templates: readonly Template[];
  readonly runner: Runner;
  readonly artifacts: Artifacts | undefined;
  /** Tells the user something in a line. */
  readonly notice: (text: string) => void;
}

/** How one run came out. */
export interface Ran {
  readonly code: number;
  readonly startedAt: string;
  readonly durationMs: number;
}

/** Under which mishap a run goes; null is none. Undefined when there is nothing to compare with. */
export interface Under {
  readonly scenario: string | null;
  readonly folder: string;
}

/** Runs the command once beside a sandbox of its own, and keeps what there is to keep of it. */
export async function runBeside(plan: Plan, under?: Under): Promise<Ran> {
  const { command, options, templates, runner, artifacts } = plan;
  const sandbox = await openSandbox({ ...options, makeUpSeed: false, ownsProcess: true });
  try {
    await sandbox.listen({ port: options.port ?? 0 });
    const environment = {
      ...process.env,
      ...(under === undefined ? {} : { PAYMENTS_SANDBOX_UNDER: under.scenario ?? "" }),
      ...environmentOf(sandbox, templates),
    };
    const startedAtMs = machineNowMs();
    const code = await runner.run(command, environment);
    const ran = { code, startedAt: iso(startedAtMs), durationMs: machineNowMs() - startedAtMs };
    await artifacts?.keep(sandbox, plan, ran, under);
    return ran;
  } finally {
    await sandbox.close();
  }
}
