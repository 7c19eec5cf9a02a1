import { join } from "node:path";
import { expect, it } from "vitest";
import type { Sandbox } from "../../src/library/index.js";
import { openSandbox } from "../support/api-client.js";
import { atEnd } from "../support/lifetime.js";
import { ROOT } from "../support/process-command.js";
import { isHere } from "../support/programs.js";

type StartProgram = (program: string, sandbox: Sandbox) => Promise<{ app: string; stop(): Promise<unknown> }>;
const { startProgram }: { startProgram: StartProgram } = await import(
  join(ROOT, "scripts/incidents/program.mjs")
);

it.skipIf(!isHere("python3"))("a correct app passes every incident of hosted checkouts", async () => {
  const sandbox = await openSandbox();
  const program = join(ROOT, "examples/incidents/refund-before-completion/fixed.py");
  const { app, stop } = await startProgram(program, sandbox);
  atEnd(stop);
  const report = await sandbox.checkWebhook(`${app}/webhooks`, {
    observe: "GET /enrolments/{metadata.enrolment}",
    order: 'POST /enrolments {"enrolment": "{email}", "email": "{email}"}',
  });
  expect(report.findings).toEqual([]);
});
