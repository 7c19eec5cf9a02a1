import { beforeAll, expect, it } from "vitest";
import { blocksOf, pageText } from "./support/pages.js";
import { freePorts, UserProject } from "./support/user-project.js";

const PAGE = "docs/start-here.md";
const project = new UserProject();
let ports: readonly [sandbox: number, shop: number, tested: number];
let env: Record<string, string>;

function blockOf(marker: string): string {
  return blocksOf(PAGE)
    .find((one) => one.marker === marker)!
    .code.replaceAll("4402", String(ports[0]))
    .replaceAll("3000", String(ports[1]))
    .replaceAll("3001", String(ports[2]));
}

beforeAll(async () => {
  ports = (await freePorts(3)) as [number, number, number];
  env = { PAYMENTS_SANDBOX_PORT: String(ports[0]), PAYMENTS_SANDBOX_URL: `http://127.0.0.1:${ports[0]}` };
  for (const name of ["shop.mjs", "shop.test.mjs"]) project.write(name, blockOf(`file: ${name}`));
  await project.terminal(blockOf("terminal: sandbox"), env).printed(/is ready/);
});

it("takes a payment as the page says", async () => {
  const { code, stdout, stderr } = await project.shell(blockOf("run: pay"), env);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain(`"checkout_url":"http://127.0.0.1:${ports[0]}/checkout/co_`);
  expect(stdout).toMatch(/^ch_\w+ +COMPLETED.* 1,?142\.67/m);
});

it("has a receiver that gets the held webhooks and passes check-webhook", async () => {
  await project.terminal(blockOf("terminal: shop"), env).printed(/charge\.completed/);
  const { code, stdout } = await project.shell(blockOf("run: check"), env);
  expect(code, stdout).toBe(0);
});

it("shows a mishap that breaks its shop, and passes once the shop is fixed as described", async () => {
  const exec = blockOf("breaks: chaos");
  const broken = await project.shell(exec);
  expect(broken.code, broken.stderr).toBe(1);
  const [, said] = /ends with `([^`]+)`/.exec(pageText(PAGE))!;
  expect(broken.stdout.trimEnd().split("\n").at(-1)).toBe(said);

  const lines = blockOf("file: shop.mjs").split("\n");
  const at = lines.findIndex((line) => line.includes('type === "charge.completed"'));
  lines[at] = blockOf("fix: charge.completed").trimEnd();
  project.write("shop.mjs", lines.join("\n"));
  const fixed = await project.shell(exec);
  expect(fixed.code, fixed.stdout).toBe(0);

  const lost = await project.shell(exec.replace("webhook_chaos", "webhooks_lost"));
  expect(lost.stdout).toContain("Your suite breaks under 1 of 1 mishap: webhooks_lost.");
}, 120_000);

it("has at most 600 words", () => {
  expect(pageText(PAGE).split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(600);
});
