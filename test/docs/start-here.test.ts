import { afterAll, beforeAll, expect, it } from "vitest";
import { blocksOf, pageText } from "./support/pages.js";
import { freePorts, UserProject } from "./support/user-project.js";

const PAGE = "docs/start-here.md";
const project = new UserProject();
let port: number;

function blockOf(marker: string): string {
  return blocksOf(PAGE)
    .find((one) => one.marker === marker)!
    .code.replaceAll("4402", String(port))
    .replaceAll("localhost:3000", "localhost:1"); // nobody must listen there
}

beforeAll(async () => {
  [port] = (await freePorts(1)) as [number];
  await project
    .terminal(blockOf("terminal: sandbox"), { PAYMENTS_SANDBOX_PORT: String(port) })
    .printed(/is ready/);
}, 300_000);
afterAll(() => project.close());

it("takes a payment as the page says", async () => {
  const env = { PAYMENTS_SANDBOX_URL: `http://127.0.0.1:${port}` };
  const { code, stdout, stderr } = await project.shell(blockOf("run: pay"), env);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain(`"checkout_url":"http://127.0.0.1:${port}/checkout/co_`);
  expect(stdout).toMatch(/^ch_\w+ +COMPLETED/m);
});

it("names the secret and the address the program has", () => {
  const readme = pageText("README.md");
  const [secret] = /whsec_\S+(?=`)/.exec(pageText(PAGE))!;
  expect(readme).toContain(secret);
});

it("is a page of 600 words at most", () => {
  expect(pageText(PAGE).split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(600);
});
