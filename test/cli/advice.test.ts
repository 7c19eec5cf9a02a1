import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CALL_IMPORTED } from "../support/light-fetch.js";
import { ROOT, run } from "../support/process-command.js";
import { fileWith } from "../support/scenario-run.js";
import { startServer } from "../support/started.js";

const TWICE = `${CALL_IMPORTED}for (let n = 0; n < 2; n++) await call("GET", "/api/v1/accounts/balances");`;
const HASTE =
  "payments-sandbox: advice: Read balances at most every 10 seconds; 30 to 60 are enough. Balances were";
const app = ["--", process.execPath, "--input-type=module", "-e", TWICE];
const HASTY = fileWith(`name: hasty
steps:
  - request: GET /api/v1/accounts/balances
  - request: GET /api/v1/accounts/balances
`);

it("exec prints advice on standard error, except with --quiet", async () => {
  const { code, stdout, stderr } = await run(["exec", ...app]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  expect(stderr).toMatch(
    new RegExp(`^${HASTE} read again too soon: request 2 at \\S+ \\(docs/api\\.md#advice\\)\\n$`),
  );
  expect((await run(["exec", "--quiet", ...app])).stderr).toBe("");
});

it("advice names an ignored query parameter and how often it was sent", async () => {
  const file = fileWith(`name: ignored
steps:
  - { repeat: 7, steps: [{ request: "GET /api/v1/payments/payins?lmit=1" }] }
`);
  expect((await run(["run", file])).stderr).toMatch(
    /The service ignored parts of a call 7 times: listPayins query\.lmit/,
  );
});

it("exec --under prints advice only for the first run", async () => {
  const { stderr } = await run(["exec", "--under", "slow", ...app]);
  expect(stderr.split(HASTE)).toHaveLength(2);
});

it("run prints advice on standard error and in its JSON", async () => {
  const { stderr } = await run(["run", HASTY]);
  expect(stderr).toContain(HASTE);
  expect((await run(["run", HASTY, HASTY])).stderr).toContain(`${HASTE} read again too soon 2 times: `);
  const { stdout } = await run(["run", "--json", HASTY, HASTY]);
  expect(JSON.parse(stdout).advice).toMatchObject([{ id: "balances_too_often", times: 2 }]);
});

it("run gives advice only on its own calls", async () => {
  const { url, client } = await startServer();
  const ask = (...args: string[]) => run([...args, "--url", url]);
  expect((await ask("advice")).stdout).toBe("none\n");
  for (let n = 0; n < 2; n++) await client.get("/api/v1/accounts/balances");
  expect((await ask("run", fileWith("name: idle\nsteps: [{ advance: 1s }]\n"))).stderr).toBe("");
  const { stdout } = await ask("advice");
  expect(`payments-sandbox: advice: ${stdout}`).toContain(`${HASTE} read again too soon: request 2`);
});

it("the built-in scenarios cause no advice", async () => {
  const files = readdirSync(join(ROOT, "scenarios")).filter((name) => name.startsWith("flow_"));
  const { code, stderr } = await run(["run", ...files.map((name) => join(ROOT, "scenarios", name))]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});
