import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import { configFaults } from "../../src/library/options.js";
import { validateFile } from "../../src/tools/scenario/validation.js";
import { openSandbox } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { FLOW, openCorpus } from "./support.js";

const LOST = "response_lost at createWhitelabel#1";
const REPLAY = { name: "order.lost", flow: "../order.yaml", only: LOST };

/** Writes a flow, and a file that names it, into a new folder; returns the file. */
function savedFile(fields: object, flow = FLOW): string {
  const folder = join(temporaryFolder(), "found");
  mkdirSync(folder);
  writeFileSync(join(folder, "../order.yaml"), flow);
  const file = join(folder, "order.lost.yaml");
  writeFileSync(file, `# an order whose response is lost\n${JSON.stringify(fields, null, 1)}`);
  return file;
}

it.concurrent("a finding is saved as its flow, relative to the file, and its deviations", async () => {
  const { sandbox, shop } = await openCorpus("pays_again");
  const flow = FLOW.replace("vars: {", "vars: { orders: /nowhere,").replace(
    "POST /orders",
    `POST \${orders}`,
  );
  const folder = join(dirname(savedFile({}, flow)), "of/today");
  const report = await sandbox.explore(join(folder, "../../../order.yaml"), {
    app: shop.url,
    only: LOST,
    save: folder,
    vars: { orders: "/orders" },
    throws: false,
  });
  expect(parse(readFileSync(report.findings[0]!.file!, "utf8"))).toEqual({
    name: "order.response_lost.createWhitelabel-1",
    description: expect.stringMatching(
      /^paid twice: 2 completed charges for one order; createWhitelabel#1: /,
    ),
    flow: "../../../order.yaml",
    only: LOST,
    vars: { orders: "/orders" },
  });
});

it.concurrent("a file that names a flow fails with the sentence of the finding, at its line", async () => {
  const { sandbox, shop } = await openCorpus("pays_again");
  const file = savedFile(REPLAY);
  const report = await sandbox.runFile(file, { app: shop.url });
  const message = "money: paid twice: 2 completed charges for one order";
  expect(report).toMatchObject({
    outcome: "failed",
    steps: [{ title: LOST, outcome: "failed", line: 5, failure: { message } }],
    applied: { [LOST]: 1 },
  });
  expect(reportOfRun(report).cases).toMatchObject([{ outcome: "failed", message, place: [file, 5] }]);
  const right = await openCorpus("right");
  expect(await right.sandbox.runFile(file, { app: right.shop.url })).toMatchObject({ outcome: "passed" });
});

it.concurrent("a file whose deviation has no place in a run of the app passes, and says so", async () => {
  const { sandbox, shop } = await openCorpus("right");
  const only = "response_lost at createWhitelabel#9";
  const report = await sandbox.runFile(savedFile({ ...REPLAY, only }), { app: shop.url });
  expect(report).toMatchObject({
    outcome: "passed",
    steps: [{ outcome: "not_run" }],
    applied: { [only]: 0 },
    never_happened: [only],
    never_happened_at: [{ rule: only, line: 5 }],
  });
});

it.concurrent("a file whose flow fails with nothing going wrong cannot be run", async () => {
  const { sandbox, shop } = await openCorpus("right");
  const report = await sandbox.runFile(savedFile(REPLAY, FLOW.replace("delivered: 1", "delivered: 7")), {
    app: shop.url,
  });
  expect(report).toMatchObject({
    outcome: "error",
    error: expect.stringMatching(
      /order\.yaml: the flow fails with nothing going wrong: .*delivered is 1, not 7/,
    ),
  });
});

it("a file that names a flow needs the app's URL", async () => {
  const sandbox = await openSandbox();
  expect(await sandbox.runFile(savedFile(REPLAY))).toMatchObject({
    outcome: "error",
    error: "some steps call the app under test: give its URL with --app",
  });
});

it.each([
  [
    "has no deviations",
    { name: "x", flow: "../order.yaml" },
    "needs only beside flow: a flow, and the deviations to run it with",
  ],
  [
    "has no flow",
    { name: "x", only: LOST },
    "needs flow beside only: a flow, and the deviations to run it with",
  ],
  [
    "has steps",
    { ...REPLAY, steps: [] },
    "has steps and rules of its own: a file that names one takes name, description, vars and only",
  ],
  [
    "names an unknown kind",
    { ...REPLAY, only: "response_lots at createWhitelabel#1" },
    "response_lots is no kind of deviation; did you mean response_lost?",
  ],
  [
    "names no place",
    { ...REPLAY, only: "response_lost" },
    "response_lost needs its place: response_lost at PLACE",
  ],
  [
    "names a missing flow",
    { ...REPLAY, flow: "ordre.yaml" },
    expect.stringMatching(/ordre\.yaml: there is no such file$/),
  ],
  [
    "names itself",
    { ...REPLAY, flow: "order.lost.yaml" },
    expect.stringMatching(/ names a flow itself: name that one$/),
  ],
] as const)("validate reports the line of a file that %s", async (_, fields, message) => {
  const { faults } = await validateFile(savedFile(fields), { environment: {}, configFaults });
  expect(faults).toMatchObject([{ message }]);
  expect(faults[0]!.file).toMatch(/order\.lost\.yaml$/);
});

it("validate reports a fault of the flow at its line in the flow", async () => {
  const file = savedFile(REPLAY, FLOW.replace("advance:", "advnce:"));
  const { faults } = await validateFile(file, { environment: {}, configFaults });
  expect(faults).toMatchObject([{ file: join(dirname(file), "../order.yaml"), field: "steps.1.advnce" }]);
});

it("a file that names a flow cannot be explored", async () => {
  const sandbox = await openSandbox();
  const explored = sandbox.explore(savedFile(REPLAY), { app: "http://127.0.0.1:9" });
  await expect(explored).rejects.toThrow(
    /:4:\d+ flow: has its deviations: explore the flow itself, or run this file$/,
  );
});

it("the control API refuses a scenario that names a flow", async () => {
  const sandbox = await openSandbox();
  const stored = sandbox.control("PUT", "/_sandbox/scenarios/lost", { ...REPLAY, name: "lost", vars: {} });
  await expect(stored).rejects.toThrow("flow only a file can name a flow");
});
