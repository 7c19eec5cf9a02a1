import { expect, it } from "vitest";
import { OPERATIONS } from "../../src/server/service/operations.js";
import { openSandbox } from "../support/api-client.js";
import { closedAtEnd } from "../support/lifetime.js";
import { run } from "../support/process-command.js";

it("the guide fits in 2,000 tokens", async () => {
  const { code, stdout } = await run(["guide"]);
  expect(code).toBe(0);
  const sandbox = closedAtEnd(await openSandbox());
  for (const { method, path, id } of OPERATIONS) {
    const line = `- ${method} ${path.replace(/:(\w+)/g, "{$1}")}: `;
    expect(
      stdout.split("\n").filter((one) => one.startsWith(line)),
      id,
    ).toHaveLength(1);
  }
  // A token is about four characters of English, or three of JSON.
  expect(stdout.length / 3.2).toBeLessThan(2_000);
  expect(await (await sandbox.fetch("http://127.0.0.1:4402/llms.txt")).text()).toBe(stdout);
});
