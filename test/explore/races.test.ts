import { join } from "node:path";
import { expect, it } from "vitest";
import type { Sandbox } from "../../src/library/index.js";
import { openSandbox } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { atEnd } from "../support/lifetime.js";
import { ROOT } from "../support/process-command.js";
import { exploredByOnly, openCorpus } from "./support.js";

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

it.concurrent("finds a job and a webhook without a shared lock", async () => {
  const { sandbox, app } = await started("one-after-the-other.mjs");
  const { findings, notes } = await sandbox.explore(FLOW, {
    app,
    throws: false,
    save: temporaryFolder(),
  });
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
    expect(await sandbox.runFile(file!, { app })).toMatchObject({ outcome: "failed" });
  const fixed = await started("one-after-the-other.fixed.mjs");
  expect(await fixed.sandbox.runFile(file!, { app: fixed.app })).toMatchObject({ outcome: "passed" });
  const silent = await fixed.sandbox.explore(FLOW, { app: fixed.app, depth: 1 });
  expect(silent).toMatchObject({ passed: true, findings: [] });
});

const FRESH = 10;

it.concurrent.each([
  ["races", "webhook_twice_at_once charge.completed#1"],
  ["job_races", "job_at_once charge.completed#1"],
] as const)("the saved race of the shop %s fails with each of ten new shops", async (kind, where) => {
  const { file, sandbox: searched } = await exploredByOnly(kind, where);
  await searched.close();
  const outcomes: string[] = [];
  for (let fresh = 1; fresh <= FRESH; fresh++) {
    const { sandbox, shop } = await openCorpus(kind);
    outcomes.push((await sandbox.runFile(file, { app: shop.url })).outcome);
    await shop.close();
    await sandbox.close();
  }
  expect(outcomes).toEqual(Array.from({ length: FRESH }, () => "failed"));
  const right = await openCorpus("right");
  expect(await right.sandbox.runFile(file, { app: right.shop.url })).toMatchObject({ passed: true });
});

it.concurrent.each([
  ["job_pays", "job_meanwhile charge.awaiting_payment#1"],
  ["reads_late", "read_held getCharge#2"],
] as const)("explore finds the shop that %s, and saves a file that reproduces it", async (kind, where) => {
  const { sandbox, shop, file } = await exploredByOnly(kind, where);
  for (let time = 1; time <= 3; time++)
    expect(await sandbox.runFile(file, { app: shop.url })).toMatchObject({ outcome: "failed" });
  const right = await openCorpus("right");
  expect(await right.sandbox.runFile(file, { app: right.shop.url })).toMatchObject({ passed: true });
});
