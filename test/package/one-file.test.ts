import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startShop } from "../corpus/start-shop.js";
import { FLOW } from "../explore/support.js";
import { temporaryFolder } from "../support/folders.js";
import { FETCH_IMPORTED } from "../support/light-fetch.js";
import { buildIfMissing, Command, ROOT, run } from "../support/process-command.js";
import { fileWith } from "../support/scenario-run.js";
import { MANIFEST } from "./support/packed.js";

buildIfMissing();
const BUILT = join(ROOT, "dist/payments-sandbox.mjs");

/** A folder without the other files of the package. */
const folder = temporaryFolder();
const file = join(folder, "payments-sandbox.mjs");
copyFileSync(BUILT, file);

const { PAYMENTS_SANDBOX_OLDEST_NODE: OLDEST, PAYMENTS_SANDBOX_TOO_OLD_NODE: TOO_OLD } = process.env;

const SCENARIO = `
name: one-file
steps:
  - request: GET /api/v1/accounts/balances
    expect: { status: 200 }
`;

/** Script that `exec` runs: it requests compressed pages. */
const LOOKS = `${FETCH_IMPORTED}
const base = process.env.PAYMENTS_BASE_URL;
for (const path of ["/health", "/docs", "/openapi.json", "/_sandbox/openapi.json", "/_sandbox/dashboard", "/_sandbox"]) {
  const response = await fetch(base + path);
  console.log(path, response.status, (await response.text()).length > 10);
}
`;

describe.each([
  ["this Node", undefined],
  ["the oldest supported Node (PAYMENTS_SANDBOX_OLDEST_NODE names its binary)", OLDEST],
])("the one file, on %s", (_name, node) => {
  const isAsked = _name === "this Node" || node !== undefined;
  const here = { node, file, cwd: folder };

  it.skipIf(!isAsked)("the single file serves all pages under exec", async () => {
    writeFileSync(join(folder, "looks.mjs"), LOOKS);
    const { code, stdout, stderr } = await run(
      ["exec", "--quiet", "--", process.execPath, "looks.mjs"],
      here,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.trim().split("\n");
    expect(lines).toHaveLength(6);
    for (const line of lines) expect(line).toMatch(/ 200 true$/);
  });

  it.skipIf(!isAsked)("the single file executes steps and flows with run", async () => {
    writeFileSync(join(folder, "one-file.yaml"), SCENARIO);
    const stdout = expect.stringContaining("3 of 3 scenarios passed");
    const files = ["one-file.yaml", "card", "scenarios/flow_card.yaml"];
    expect(await run(["run", ...files], here)).toMatchObject({ code: 0, stderr: "", stdout });
  });
});

it("start, explore and check-webhook use a running server", async () => {
  const command = new Command(["start", "--json", "--port", "0"], { file, cwd: folder });
  const { url, api_key } = await command.ready();
  const shop = await startShop("pays_again", { baseUrl: url, apiKey: api_key });
  const here = { file };
  const found = await run(
    ["explore", fileWith(FLOW), "--url", url, "--app", shop.url, "--depth", "1", "--save", folder],
    here,
  );
  expect(found).toMatchObject({ code: 1, stdout: expect.stringContaining("depth 1 complete") });
  // On a busy machine it says how far it is.
  expect(found.stderr).toMatch(/^(explore .* runs, .*\n)*$/);
  const checked = await run(["check-webhook", `${shop.url}/webhooks`, "--json"], here);
  expect({ stderr: checked.stderr, report: JSON.parse(checked.stdout) }).toMatchObject({ stderr: "" });
  expect(await command.stop()).toMatchObject({ code: 0, stderr: "" });
});

it("the single file prints its version, or an error on an unsupported Node", async () => {
  expect(await run(["--version"], { file })).toMatchObject({ code: 0, stdout: `${MANIFEST.version}\n` });
  if (TOO_OLD === undefined) return;
  const stderr = expect.stringMatching(/^payments-sandbox needs Node \d+ or newer; .*\n$/);
  expect(await run(["start"], { file, node: TOO_OLD })).toMatchObject({ code: 1, stderr });
});

it("the single file is smaller than a megabyte", () => {
  const text = readFileSync(BUILT, "utf8");
  expect(Buffer.byteLength(text)).toBeGreaterThan(400_000);
  expect(Buffer.byteLength(text)).toBeLessThan(1024 * 1024);
  for (const place of [ROOT, homedir()].filter((one) => one.length > 1))
    expect(text).not.toContain(`${place.replace(/\/$/, "")}/`);
});
