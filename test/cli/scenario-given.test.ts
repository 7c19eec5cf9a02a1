import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSandbox } from "../../src/library/opening.js";
import type { UnresolvedOptions } from "../../src/library/options.js";
import { Api } from "../support/api-client.js";
import { folderWith, temporaryFolder } from "../support/folders.js";
import { closedAtEnd } from "../support/lifetime.js";
import { CALL_REQUIRED } from "../support/light-fetch.js";
import { Command, run } from "../support/process-command.js";
import { Client } from "../support/receiver-client.js";
import { words } from "../support/words.js";

const GIVEN = `name: mine
given:
  start_time: "2027-01-31T22:00:00Z"
  seed: january
  rate_limit: 7
  limits: { quote_valid: 1m }
  fixtures: { keys: [{ key: sk_test_mine, organization_id: org_sandbox, permission: full }] }
faults: [{ match: { operation: createQuote }, delay: 0s }]
`;
const PRICING = { pricing: { base_currency: "NGN", amount: "10.00" }, payment_method: "card" };

it("`given` sets up a sandbox that starts with the file", async () => {
  const cwd = folderWith({ "mine.yaml": GIVEN });
  const args = ["--json", "-p", "0", "--clock", "manual", "--scenario", "./mine.yaml"];
  const { url, seed } = await new Command(args, { cwd }).ready();
  const client = Client.at(url);
  expect([seed, (await client.clock()).json.now]).toEqual(["january", "2027-01-31T22:00:00.000Z"]);
  const list = await client.ask("GET /api/v1/payments/payins", undefined, {
    authorization: "Bearer sk_test_mine",
  });
  expect([list.status, list.headers.get("ratelimit-policy")]).toEqual([200, '"default";q=7;w=60']);
});

it("`given` sets up every run of exec --under except the first", async () => {
  const cwd = folderWith({ "mine.yaml": GIVEN });
  const asks = `${CALL_REQUIRED}call("POST", "/api/v1/payments/quotes", PRICE)
      .then(({ created_at }) => require("node:fs").appendFileSync("times", created_at + "\\n"))`;
  const flags = words`--quiet --json --clock manual --start-time 2026-01-01T00:00:00Z --under ./mine.yaml`;
  const { stdout, stderr } = await run(words`exec ${flags} -- ${process.execPath} -e ${asks}`, { cwd });
  expect(readFileSync(join(cwd, "times"), "utf8")).toBe("2026-01-01T00:00:00.000Z\n".repeat(2));
  expect(JSON.parse(stdout.trim().split("\n").at(-1)!).runs).toMatchObject([
    { label: "plain", seed: "payments-sandbox" },
    { label: "./mine.yaml", seed: "january" },
  ]);
  expect(stderr).toBe(
    "payments-sandbox: ./mine.yaml:3:3 given.start_time: warning: is ignored: an option of the sandbox sets another value\n",
  );
});

async function openWith(options: UnresolvedOptions, files: Readonly<Record<string, string>>) {
  const folder = folderWith(files);
  const warnings: string[] = [];
  const sandbox = await openSandbox({
    clock: "manual",
    scenario: Object.keys(files).map((name) => join(folder, name)),
    ...options,
    onWarning: (warning) => warnings.push(warning.replace(`${folder}/`, "")),
  });
  return { sandbox: closedAtEnd(sandbox), warnings };
}

it("`given` sets limits", async () => {
  const { sandbox, warnings } = await openWith({}, { "mine.yaml": GIVEN });
  const { created_at, expires_at } = await new Api(sandbox, "sk_test_mine").quote(PRICING);
  expect([Date.parse(expires_at) - Date.parse(created_at), warnings]).toEqual([60_000, []]);
});

const named = (name: string, seed: string) =>
  `name: ${name}\ngiven:\n  seed: ${seed}\nfaults: [{ match: { operation: createQuote }, delay: 1s }]\n`;

it("options and later files override `given`, with a warning", async () => {
  const files = { "one.yaml": named("one", "first"), "two.yaml": named("two", "second") };
  const later = await openWith({}, files);
  expect([later.sandbox.seed, later.warnings]).toEqual([
    "second",
    ["one.yaml:3:3 given.seed: warning: is ignored: a later scenario file sets another value"],
  ]);
  const asked = await openWith({ seed: "first" }, files);
  expect([asked.sandbox.seed, asked.warnings]).toEqual([
    "first",
    ["two.yaml:3:3 given.seed: warning: is ignored: an option of the sandbox sets another value"],
  ]);
});

it("`given` does not change the seed of stored data", async () => {
  const data = join(temporaryFolder(), "state.json");
  const { sandbox, warnings } = await openWith({ data }, { "one.yaml": named("one", "first") });
  expect([sandbox.seed, warnings]).toEqual([
    "payments-sandbox",
    ["one.yaml:3:3 given.seed: warning: is ignored: with --data, use --seed"],
  ]);
});
