import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { reportText } from "../../src/cli/report/report.js";
import { reportOfRun } from "../../src/cli/report/run-report.js";
import { openSandbox } from "../support/api-client.js";
import { FETCH_REQUIRED } from "../support/light-fetch.js";
import { ROOT } from "../support/process-command.js";
import { failed, fileWith } from "../support/scenario-run.js";
import { Shop } from "../support/shop.js";
import { UserProject } from "../support/user-project.js";
import { markedBlock, pageText } from "./support/pages.js";

const PAGE = "docs/reconcile.md";
const unnumbered = (text: string) => text.replace(/ch_\w+/g, "ch_");
const codeOf = (page: string, marker: string) => markedBlock(page, marker).code;

/** Two orders without assertions. */
const TESTS = `${FETCH_REQUIRED}
  const app = require("./app.cjs");
  const { PAYMENTS_BASE_URL: url, PAYMENTS_API_KEY: apiKey } = process.env;
  const sandbox = (path, body) => fetch(url + "/_sandbox" + path, { method: "POST", body: JSON.stringify(body) });
  (async () => {
    for (const [email, to] of [["ada@example.com", "COMPLETED"], ["bo@example.com", "FAILED"]]) {
      const id = await app.placeOrder({ url, apiKey }, email);
      await sandbox("/charges/" + id + "/transition", { to });
      app.orders.set(id, "paid");
    }
    const orders = [...app.orders].map(([charge_id, status]) => ({ charge_id, status }));
    require("node:fs").writeFileSync("orders.json", JSON.stringify(orders));
  })();
`;

describe(PAGE, () => {
  it.each([
    [
      "every-test.test.mjs",
      "node node_modules/vitest/vitest.mjs run --no-color every-test.test.mjs",
      unnumbered(codeOf(PAGE, "told")),
    ],
  ])(
    "the test in docs/reconcile.md fails when the app's books are wrong: %s",
    async (file, line, told) => {
      const project = new UserProject();
      symlinkSync(join(ROOT, "node_modules/vitest"), join(project.folder, "node_modules/vitest"));
      project.write(file, codeOf(PAGE, `file: ${file}`));
      const app = codeOf("docs/testing.md", "file: app.cjs");
      project.write("app.cjs", app);
      const { code, stdout } = await project.shell(line);
      expect(code, stdout).toBe(0);
      expect(stdout).toMatch(/^# pass 1$|Tests +1 passed/m);
      project.write(
        "app.cjs",
        app
          .replace('type === "charge.failed"', 'type === "charge.declined"')
          .replace('"failed"', '"paid"')
          .replace('"open"', '"paid"'),
      );
      const wrong = await project.shell(line);
      expect(wrong.code).toBe(1);
      expect(unnumbered(wrong.stdout + wrong.stderr)).toContain(told);
    },
    60_000,
  );

  it("the command in docs/reconcile.md finds a payment that no test checks", async () => {
    const project = new UserProject();
    project.write("app.cjs", codeOf("docs/testing.md", "file: app.cjs"));
    project.write("package.json", '{ "scripts": { "test": "node tests.cjs" } }\n');
    project.write("orders.cjs", codeOf(PAGE, "file: orders.cjs"));
    project.write("tests.cjs", TESTS);
    const { code, stderr } = await project.shell(codeOf(PAGE, "run: exec"));
    expect(code, stderr).toBe(1);
    const shown = /^✗ 2 rows[\s\S]*?says paid\n/m;
    const [told] = shown.exec(stderr) ?? [];
    expect(unnumbered(told ?? "")).toBe(unnumbered(shown.exec(pageText(PAGE))![0]));
  }, 60_000);

  it.each([
    [undefined, 0],
    ["fulfils_twice", 1],
  ] as const)("the scenario in docs/reconcile.md finds a shop's error: %s", async (bug, findings) => {
    const shop = new Shop(bug);
    const app = await shop.listen();
    const sandbox = await openSandbox({ webhooks: [`${app}/webhooks`] });
    const { url } = await sandbox.listen();
    shop.service = { url, apiKey: sandbox.apiKey, webhookSecret: sandbox.webhookSecret };
    const report = await sandbox.runFile(fileWith(codeOf(PAGE, "file: books.yaml")), { app });
    const failure = failed(report)?.failure;
    expect(failure?.difference ?? [], reportText(reportOfRun(report))).toHaveLength(findings);
    if (bug !== undefined) expect(JSON.stringify(failure)).toContain("row 1: delivered_twice, ch_");
  });
});
