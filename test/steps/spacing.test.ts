import { expect, it } from "vitest";
import { Api, openSandbox } from "../support/api-client.js";
import { failed, runSteps } from "../support/scenario-run.js";

/** Sends requests with the given pauses and returns the failure. */
async function checkSpacing(pauses: readonly string[], spacing: string) {
  const sandbox = await openSandbox();
  const read = "  - manual: read";
  const steps = [read, ...pauses.flatMap((pause) => [`  - advance: ${pause}`, read])];
  const report = await runSteps(
    `${steps.join("\n")}\n  - expect_request:\n      operation: listPayins\n      spacing: ${spacing}`,
    {
      sandbox,
      manual: async () => {
        await new Api(sandbox).payins();
      },
    },
  );
  return failed(report)?.failure;
}

it("`spacing` checks the pauses between requests", async () => {
  expect(await checkSpacing(["1m", "2m", "5m"], "{ gte: 1m, lt: 10m, growing: true }")).toBeUndefined();
  expect(await checkSpacing(["1m", "20m"], "{ gte: 1m, lt: 10m }")).toMatchObject({
    message: "the pause before request 3 is 20m, not lt 10m",
    difference: [{ path: "spacing.lt", expected: "10m" }],
  });
  expect((await checkSpacing(["1m", "10m", "10m"], "{ growing: true }"))?.message).toMatch(
    /^the pause before request 4 is 10m.*, and the one before it was 10m.*: they do not grow$/,
  );
});

it("`spacing` fails with too few requests", async () => {
  expect((await checkSpacing([], "{ gte: 0ms }"))?.message).toBe(
    "1 such requests have too few pauses to check: 2 are needed",
  );
  expect((await checkSpacing(["1m"], "{ growing: true }"))?.message).toMatch(/3 are needed$/);
});
