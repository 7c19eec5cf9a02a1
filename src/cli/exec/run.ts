import { openSandbox } from "../../opening.js";
import type { AdviceList } from "../../schema/control-responses.js";
import { iso } from "../../schema/time.js";
import { machineNowMs } from "../../time/timers.js";
import { tellAdvice } from "../report/advice-text.js";
import { environmentOf } from "./environment.js";
import type { Plan, Ran, Under } from "./plan.js";

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
    // Under a mishap an app does what it does not do otherwise.
    if (under?.scenario == null && options.quiet !== true)
      tellAdvice((await sandbox.control<AdviceList>("GET /_sandbox/advice?of=server")).items);
    return ran;
  } finally {
    await sandbox.close();
  }
}
