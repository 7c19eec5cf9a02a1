import { join } from "node:path";
import { expect, it } from "vitest";
import type { Sandbox } from "../../src/library/index.js";
import { openSandbox } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { atEnd } from "../support/lifetime.js";
import { ROOT } from "../support/process-command.js";

type StartProgram = (program: string, sandbox: Sandbox) => Promise<{ app: string; stop(): Promise<unknown> }>;
const { startProgram }: { startProgram: StartProgram } = await import(
  join(ROOT, "scripts/incidents/program.mjs")
);

const FOLDER = join(import.meta.dirname, "races");
const FLOW = join(FOLDER, "one-after-the-other.yaml");

async function started(program: string) {
  const sandbox = await openSandbox();
  const { app, stop } = await startProgram(join(FOLDER, program), sandbox);
  atEnd(stop);
  return { sandbox, app };
}

it.concurrent("finds a job and a webhook without a shared lock, and saves a file that always fails and passes with the fix", async () => {
  const { sandbox, app } = await started("one-after-the-other.mjs");
  const { findings, notes } = await sandbox.explore(FLOW, { app, depth: 1, save: temporaryFolder() });
  expect(findings).toMatchObject([
    {
      message: "done more than once: body.delivered is 2, not 1",
      deviations: [{ kind: "job_at_once", at: "charge.completed#1" }],
      seen: { runs: 2, of: 2 },
    },
  ]);
  expect(notes.join()).not.toContain("could not be repeated");
  const { file } = findings[0]!;
  for (let run = 1; run <= 3; run++)
    expect(await sandbox.run(file!, { app })).toMatchObject({ outcome: "failed" });
  const fixed = await started("one-after-the-other.fixed.mjs");
  expect(await fixed.sandbox.run(file!, { app: fixed.app })).toMatchObject({ outcome: "passed" });
  const silent = await fixed.sandbox.explore(FLOW, { app: fixed.app, depth: 1 });
  expect(silent).toMatchObject({ passed: true, findings: [] });
});
