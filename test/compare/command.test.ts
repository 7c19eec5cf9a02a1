import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { folderWith } from "../support/folders.js";
import { run } from "../support/process-command.js";
import { freePort } from "../support/servers.js";
import { startServices } from "./support/compared.js";

const CONFIG = `# The shop's sandbox.
rates:
  # Of Monday.
  NGN: "1550"
wire:
  # Their clock.
  - { operation: getOrganization, times: without_ms }
`;

it("compare --write keeps the config's comments, and the next comparison says nothing", async () => {
  const service = (await startServices(["identical"])).identical!;
  const cwd = folderWith({ "payments-sandbox.config.yaml": CONFIG });
  const listen = `http://127.0.0.1:${await freePort()}/webhooks`;
  const args = ["compare", "--against", service.url, "--key", service.key];
  const first = await run([...args, "--listen", listen, "--write", "--record", "kept.json", "--json"], {
    cwd,
  });
  const report = JSON.parse(first.stdout);
  expect(report).toMatchObject({
    differences: [
      {
        operation: "getOrganization",
        field: "created_at",
        kind: "form",
        theirs: "time with ms Z",
        ours: "time without ms Z",
        decides: ["A2.11"],
        follow: null,
        at: ["getOrganization"],
        followed: false,
      },
    ],
    written: [],
  });
  expect([first.code, readFileSync(join(cwd, "payments-sandbox.config.yaml"), "utf8")]).toEqual([1, CONFIG]);
  const replayed = await run(["compare", "--against", "kept.json", "--json"], { cwd });
  expect(JSON.parse(replayed.stdout)).toMatchObject({ calls: 0, differences: [{ field: "created_at" }] });

  // A second service of the kind: 170 calls in a minute are above the limit of one.
  const [renamed, later] = Object.values(await startServices(["url_renamed#1", "url_renamed#2"]));
  const other = folderWith({
    "payments-sandbox.config.yaml": CONFIG.replace("getOrganization", "getWithdrawal"),
  });
  const repair = ["compare", "--against", renamed!.url, "--key", renamed!.key, "--write"];
  const written = await run(repair, { cwd: other });
  expect({ code: written.code, end: written.stdout.split("\n").slice(-3) }).toEqual({
    code: 0,
    end: [
      "payments-sandbox.config.yaml: written",
      expect.stringMatching(/^\d+ calls, 1 difference, 0 left$/),
      "",
    ],
  });
  expect(readFileSync(join(other, "payments-sandbox.config.yaml"), "utf8")).toBe(
    `${CONFIG.replace("getOrganization", "getWithdrawal")}  - operation: createCheckout
    rename:
      checkout_url: url
`,
  );
  const last = await run(["compare", "--against", later!.url, "--key", later!.key], { cwd: other });
  expect(last.stdout).toMatch(/\d+ calls, 0 differences: the sandbox is as the service\n$/);
  expect(last.code).toBe(0);
});
