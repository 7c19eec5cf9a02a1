// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scenario files contain ${}
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openApi } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { ROOT, run } from "../support/process-command.js";
import { fileWith } from "../support/scenario-run.js";
import { freePort } from "../support/servers.js";
import { words } from "../support/words.js";

const APP = join(ROOT, "test/explore/killed/file-shop.mjs");
const READ = `const { status, delivered, price, currency } = JSON.parse(require("fs").readFileSync(process.env.STORE))["\${order}"]`;
/** Commands that print the order from the shop's file. */
const PRINTS = {
  json: `node -e '${READ}; console.log(JSON.stringify({ status, delivered, price, currency, env: typeof process.env.PAYMENTS_API_KEY }))'`,
  text: `node -e '${READ}; console.log(status); console.log(delivered)'`,
};
const flowOf = (command: string, more = "") => `
name: order
vars: { email: "qa+\${run.id}@shop.test", order: "order-\${run.id}" }
steps:
  - app: POST /orders
    body: { id: "\${order}", email: "\${email}" }
  - advance: 10s
observe:
  - run: ${JSON.stringify(command)}
${more}`;

/** Explores the shop with a command as its only check. */
async function explorePrinted(flow: string, fault: string, ...more: readonly string[]) {
  const port = await freePort();
  const flags = words`--app 127.0.0.1:${port} --webhook-url 127.0.0.1:${port}/webhooks --depth 1 --json ${more}`;
  const env = { PORT: String(port), STORE: join(temporaryFolder(), "orders.json"), FAULT: fault };
  const line = words`exec --explore ${fileWith(flow)} ${flags} -- ${process.execPath} ${APP}`;
  const { code, stdout, stderr } = await run(line, { env });
  return { code, stderr, report: stdout === "" ? undefined : JSON.parse(stdout) };
}

describe("observe with run", () => {
  it.concurrent("explore reads the fields of JSON that a command prints", async () => {
    const { code, report } = await explorePrinted(
      flowOf(PRINTS.json, "    price: price\n    currency: currency\n"),
      "",
    );
    expect({ code, report }).toMatchObject({
      code: 0,
      report: { findings: [], looked_at: ["currency", "delivered", "env", "price", "status"] },
    });
  });

  it.concurrent("explore reads printed lines to find a double delivery", async () => {
    const only = ["--only", "webhook_twice at charge.completed#1"];
    const { report } = await explorePrinted(flowOf(PRINTS.text), "counts", ...only);
    const message = 'done more than once: body.1 is "2", not "1"';
    expect(report.findings).toMatchObject([{ oracle: "money", message }]);
  });

  it.concurrent("explore finds a printed price that is wrong", async () => {
    const { report } = await explorePrinted(
      flowOf(PRINTS.json, "    price: price\n"),
      "cents",
      ...["--only", "webhook_twice at charge.completed#1"],
    );
    expect(report.findings[0]).toMatchObject({
      oracle: "money",
      message: "with nothing going wrong: the app asks for 1105.10 KES, and its price is 110510 KES",
    });
  });

  it.concurrent("explore exits with 2 when the command fails", async () => {
    const { code, stderr } = await explorePrinted(
      flowOf("echo connecting >&2; echo no table >&2; exit 3"),
      "",
    );
    expect(code).toBe(2);
    const [line, ...others] = stderr.split("\n").filter((text) => text.startsWith("payments-sandbox:"));
    expect({ line, others }).toEqual({
      line: expect.stringMatching(/: run echo connecting .*: exit 3: no table$/),
      others: [],
    });
  });

  it.each([
    ["observe", { observe: [{ run: "true" }] }, "observe.0.run"],
    ["steps", { steps: [{ repeat: 2, steps: [{ run: "true" }] }] }, "steps.0.steps.0.run"],
  ])("a command is refused in %s of a control API scenario", async (_, part, field) => {
    const api = await openApi();
    const { status, json } = await api.put("/_sandbox/scenarios/x", { name: "x", steps: [], ...part });
    expect(status).toBe(400);
    expect(json.error.details).toEqual({ [field]: "only the command line runs commands" });
  });

  it.each([
    ["both app and run", { app: "GET /x", run: "true" }, "observe.0"],
    ["neither", {}, "observe.0"],
    ["headers beside run", { run: "true", headers: {} }, "observe.0.headers"],
  ])("refuses observe with %s", async (_, view, field) => {
    const file = fileWith(JSON.stringify({ name: "x", steps: [{ app: "GET /" }], observe: [view] }));
    const { code, stdout } = await run(["validate", file]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringContaining(`${field}: `) });
  });
});
