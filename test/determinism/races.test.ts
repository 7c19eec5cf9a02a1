import { describe, expect, it } from "vitest";
import { FLOWS } from "../scenarios/support/shipped.js";
import { Api, openSandbox } from "../support/api-client.js";

const RACES = FLOWS.filter(({ text }) =>
  /\b(at_once|ids: new|again_after|response_lost|hold|delay_answer|drop: hang|stale|pay_twice|cancel_then_pay|close_page)\b/.test(
    text,
  ),
);

/** Values that come from the machine's clock. */
const WALL =
  /"(sent_at|duration_ms|wall_ms|p50_ms|p95_ms|webhook-timestamp|webhook-signature|webhook_signature)":("[^"]*"|\d+)/g;

/** Runs a flow in a new sandbox and returns its state. */
async function leftOf(path: string): Promise<string> {
  const sandbox = await openSandbox({ seed: "races" });
  expect((await sandbox.runFile(path)).passed).toBe(true);
  return (await new Api(sandbox).get("/_sandbox/state")).text.replace(WALL, '"$1":0');
}

describe("the same seed and concurrent calls on a paused clock", () => {
  it("every option that causes races is tested", () => {
    expect(RACES.length).toBeGreaterThanOrEqual(12);
  });

  it.each(RACES)("two runs of $name end in the same state", async ({ path }) => {
    const [one, other] = await Promise.all([leftOf(path), leftOf(path)]);
    expect(one.length).toBeGreaterThan(1_000);
    expect(other).toBe(one);
  });
});
