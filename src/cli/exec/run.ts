import { openSandbox } from "../../opening.js";
import type { AdviceList } from "../../schema/control-responses.js";
import { iso } from "../../schema/time.js";
import { machineNowMs } from "../../time/timers.js";
import { tellAdvice } from "../report/advice-text.js";
import type { Covered } from "../required.js";
import { tellLine } from "../terminal.js";
import { environmentOf } from "./environment.js";
import type { Plan, Ran, Under } from "./plan.js";
import { activeScenarios, allScenarios, dueAtEnd, idleFaults } from "./played.js";
import { reconcileAfter } from "./reconcile.js";
import { storiesOf } from "./stories.js";

/** So much is told of a run that failed; of one of many, less. */
const MOST_LINES = 60;
const MOST_LINES_UNDER = 15;

function tellStories(lines: readonly string[], most: number, { artifacts, notice }: Plan): void {
  if (lines.length === 0) return;
  notice("what happened in the sandbox");
  for (const line of lines.slice(0, most)) tellLine(line, "  ");
  const left = lines.length - most;
  if (left <= 0) return;
  const where = artifacts === undefined ? "--artifacts DIR keeps it all" : "it is all among the artifacts";
  tellLine(`… ${left} more ${left === 1 ? "line" : "lines"}; ${where}`, "  ");
}

/** Runs the command once beside a sandbox of its own, and keeps what there is to keep of it. */
export async function runBeside(plan: Plan, under?: Under): Promise<Ran> {
  const { command, options, templates, runner, artifacts, reconcile, required } = plan;
  const sandbox = await openSandbox({
    ...options,
    makeUpSeed: false,
    ownsProcess: true,
    // Those of the scenarios it is run under have been told.
    ...(under === undefined ? { onWarning: (warning) => tellLine(warning) } : {}),
  });
  const isUnderMishap = under?.scenario != null;
  try {
    await sandbox.listen({ port: options.port ?? 0 });
    const environment = {
      ...process.env,
      ...(under === undefined ? {} : { PAYMENTS_SANDBOX_UNDER: under.scenario ?? "" }),
      ...environmentOf(sandbox, templates),
    };
    const coverage = () => sandbox.control<Covered>("GET /_sandbox/coverage?of=server");
    required?.check(await coverage());
    const active = await activeScenarios(sandbox);
    const startedAtMs = machineNowMs();
    const ended = await runner.run(command, environment);
    required?.note(await coverage());
    const durationMs = machineNowMs() - startedAtMs;
    const books =
      reconcile === undefined || runner.asked !== undefined
        ? 0
        : await reconcileAfter(sandbox, plan, { command: reconcile, environment, under });
    const code = ended || books;
    const due = await dueAtEnd(sandbox);
    const all = await allScenarios(sandbox, due);
    const { items: advice } = await sandbox.control<AdviceList>("GET /_sandbox/advice?of=server");
    const ran: Ran = {
      code,
      startedAt: iso(startedAtMs),
      seed: sandbox.seed,
      durationMs,
      // A test may have taken one away: nothing is known of that.
      scenarios: active.flatMap(({ name }) => all.find((one) => one.name === name) ?? []),
      idleFaults: plan.isStrict ? await idleFaults(sandbox) : [],
      advice,
      due,
    };
    await artifacts?.keep(sandbox, plan, ran, under);
    if (code !== 0 && runner.asked === undefined && !options.quiet)
      tellStories(
        await storiesOf(sandbox, isUnderMishap),
        isUnderMishap ? MOST_LINES_UNDER : MOST_LINES,
        plan,
      );
    // Under a mishap an app does what it does not do otherwise.
    if (!isUnderMishap && options.quiet !== true) tellAdvice(advice);
    return ran;
  } finally {
    await sandbox.close();
  }
}
