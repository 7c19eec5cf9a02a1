import { beforeAll, expect, it } from "vitest";
import { blocksOf, pageText } from "./support/pages.js";
import { freePorts, UserProject } from "./support/user-project.js";

const PAGE = "docs/start-here.md";
const project = new UserProject();
let port: number;
let shopPort: number;

function blockOf(marker: string): string {
  return blocksOf(PAGE)
    .find((one) => one.marker === marker)!
    .code.replaceAll("4402", String(port))
    .replaceAll("3001", String(shopPort))
    .replaceAll("localhost:3000", "localhost:1"); // nobody must listen there
}

beforeAll(async () => {
  [port, shopPort] = (await freePorts(2)) as [number, number];
  await project
    .terminal(blockOf("terminal: sandbox"), { PAYMENTS_SANDBOX_PORT: String(port) })
    .printed(/is ready/);
});

it("takes a payment as the page says", async () => {
  const env = { PAYMENTS_SANDBOX_URL: `http://127.0.0.1:${port}` };
  const { code, stdout, stderr } = await project.shell(blockOf("run: pay"), env);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain(`"checkout_url":"http://127.0.0.1:${port}/checkout/co_`);
  expect(stdout).toMatch(/^ch_\w+ +COMPLETED/m);
});

it("meets a mishap that breaks its shop, and passes once the shop is fixed as it says", async () => {
  const shop = blockOf("file: shop.test.mjs");
  project.write("shop.test.mjs", shop);
  const exec = blockOf("breaks: chaos");
  const broken = await project.shell(exec);
  expect(broken.code, broken.stderr).toBe(1);
  const [, said] = /ends with `([^`]+)`/.exec(pageText(PAGE))!;
  expect(broken.stdout.trimEnd().split("\n").at(-1)).toBe(said);

  const lines = shop.split("\n");
  const at = lines.findIndex((line) => line.includes('type === "charge.completed"'));
  lines[at] = blockOf("fix: charge.completed").trimEnd();
  project.write("shop.test.mjs", lines.join("\n"));
  const fixed = await project.shell(exec);
  expect(fixed.code, fixed.stdout).toBe(0);

  const lost = await project.shell(exec.replace("webhook_chaos", "webhooks_lost"));
  expect(lost.stdout).toContain("Your suite breaks under 1 of 1 mishap: webhooks_lost.");
}, 120_000);

it("is a page of 600 words at most", () => {
  expect(pageText(PAGE).split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(600);
});
