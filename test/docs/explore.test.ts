import { join } from "node:path";
import { expect, it } from "vitest";
import { reportOfExploration } from "../../src/cli/report/explore.js";
import { reportLines } from "../../src/cli/report/report.js";
import { plainPaint } from "../../src/cli/text-layout.js";
import { createSandbox, type ExploreReport, type Sandbox } from "../../src/library/index.js";
import { temporaryFolder } from "../support/folders.js";
import { ROOT } from "../support/process-command.js";
import { PageRun } from "./support/page-run.js";
import { markedBlock, pageText } from "./support/pages.js";

const PAGE = "docs/explore.md";
const INCIDENT = join(ROOT, /^cd (examples\/incidents\/\S+)$/m.exec(pageText(PAGE))![1]!);
const { withProgram } = await import(join(ROOT, "scripts/incidents/program.mjs"));

it("the command in docs/explore.md prints the report on the page, which README.md quotes", async () => {
  const folder = temporaryFolder();
  const report = await withProgram(
    createSandbox,
    join(INCIDENT, "app.mjs"),
    ({ sandbox, app }: { sandbox: Sandbox; app: string }) =>
      sandbox.explore(join(INCIDENT, "flow.yaml"), { app, throws: false, save: join(folder, "found") }),
  );
  const relative: ExploreReport = JSON.parse(JSON.stringify(report).replaceAll(join(folder, "/"), ""));
  const told = reportLines(reportOfExploration("flow.yaml", relative), 110, plainPaint).join("\n");
  const code = markedBlock(PAGE, "report").code.replace(/ +…\n$/, "");
  const found = told.indexOf("✗ money");
  expect(told.slice(found, found + code.length)).toBe(code);
  expect(code).toContain(markedBlock("README.md", "printed by explore").code);
}, 120_000);

/** Prepares the shop of docs/start.md and the flow and test of docs/explore.md. */
async function prepareFlow(): Promise<PageRun> {
  const session = new PageRun("docs/start.md");
  await session.prepare();
  for (const marker of ["flow: order.yaml", "file: explore.node.mjs"])
    session.project.write(marker.replace(/^.*: /, ""), session.codeOf(marker, PAGE));
  return session;
}

const TEST_COMMAND = "node --test explore.node.mjs";

it("the test in docs/explore.md fails with the shop of docs/start.md", async () => {
  const { project } = await prepareFlow();
  const { code, stdout } = await project.shell(TEST_COMMAND);
  expect(code, stdout).toBe(1);
  expect(stdout).toMatch(/paid twice: \d+ completed charges for one order/);
}, 120_000);

it("the flow in docs/explore.md finds both bugs of the shop, and the fixes remove them", async () => {
  const session = await prepareFlow();
  const explore = session.codeOf("breaks: explore", PAGE);
  const { code, stdout, stderr } = await session.project.shell(explore);
  expect(code, stderr).toBe(1);
  expect(stdout).toMatch(/^✗ money: paid twice: .*\n +deviation +response_lost at createWhitelabel#1: /m);
  expect(stdout).toMatch(
    /^✗ money: done more than once: .*\n +deviation +webhook_twice at charge.completed#1: /m,
  );

  const replay = session.codeOf("fixed: replay", PAGE);
  expect(await session.project.shell(replay)).toMatchObject({ code: 1 });
  session.project.write("shop.mjs", fixedShop(session));
  expect(await session.project.shell(replay)).toMatchObject({ code: 0 });
  const again = await session.project.shell(explore);
  expect(again.code, again.stdout).toBe(0);
  expect(await session.project.shell(TEST_COMMAND)).toMatchObject({ code: 0 });
}, 240_000);

it("the log in docs/explore.md shows the lost response that breaks the shop of docs/start.md", async () => {
  const session = await prepareFlow();
  session.project.write("incident.jsonl", session.codeOf("log: incident.jsonl", PAGE));
  const explore = session
    .codeOf("breaks: explore", PAGE)
    .replace("--explore order.yaml", "--explore order.yaml --from incident.jsonl");
  const { code, stdout, stderr } = await session.project.shell(explore);
  expect(code, stderr).toBe(1);
  expect(stdout).toMatch(
    /^incident.jsonl shows\n {2}response_lost at createWhitelabel#1: .* webhooks of its charge came$/m,
  );
}, 120_000);

it("the fix in docs/explore.md finds a charge behind a page of other charges", async () => {
  const session = await prepareFlow();
  const shop = fixedShop(session).replace(
    "() => findCharge(order.order_id)",
    "() => createOthers().then(() => findCharge(order.order_id))",
  );
  session.project.write(
    "busy.mjs",
    `${shop}
const other = { pricing: { base_currency: "KES", amount: "19.99" } };
const createOthers = () =>
  Promise.allSettled(Array.from({ length: 120 }, () => call("/api/v1/payments/checkouts", other)));
console.log(...(await takeOrder({ email: "ada@example.com" })));
const headers = { authorization: \`Bearer \${PAYMENTS_API_KEY}\` };
const charges = await (await fetch(\`\${PAYMENTS_BASE_URL}/api/v1/payments/payins\`, { headers })).json();
console.log(charges.total, "charges");
shop.close();
`,
  );
  const command = "npx payments-sandbox exec --scenario lost_response -- node busy.mjs";
  const { stdout } = await session.project.shell(command);
  expect(stdout).toMatch(/^201 \{[^}]*charge_id: 'ch_\w+'/m);
  expect(stdout).toMatch(/^121 charges$/m);
}, 60_000);

/** The shop of docs/start.md with the fixes of docs/start.md and docs/explore.md. */
function fixedShop(session: PageRun): string {
  const lines = session.codeOf("file: shop.mjs").split("\n");
  const lineWith = (text: string) => lines.findIndex((line) => line.includes(text));
  lines[lineWith('type === "charge.completed"')] = session.codeOf("fix: charge.completed").trimEnd();
  lines[lineWith("/whitelabel")] = session.codeOf("fix: whitelabel", PAGE).trimEnd();
  lines.splice(lineWith("function takeOrder"), 0, session.codeOf("fix: function", PAGE));
  return lines.join("\n");
}
