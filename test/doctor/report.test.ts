import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { main } from "../../src/cli/main.js";
import { junitXml } from "../../src/cli/report/junit.js";
import { reportText } from "../../src/cli/report/report.js";
import { probeLine, reportOfWebhookCheck } from "../../src/cli/report/webhook.js";
import { PROBES } from "../../src/core/schema/receiver-report.js";
import { createSandbox, UserError, type WebhookReport } from "../../src/library/index.js";
import { temporaryFolder } from "../support/folders.js";
import { PLANTED } from "./planted.js";
import { checkAt, receiver, reply, serve } from "./receivers.js";
import { Shop } from "./shop.js";

async function checked(respond: Parameters<typeof serve>[0]): Promise<WebhookReport> {
  await using server = await serve(respond);
  return await checkAt(server.url);
}

const textReport = (report: WebhookReport) => reportText(reportOfWebhookCheck(report), 80);
const junitReport = (report: WebhookReport) => junitXml([reportOfWebhookCheck(report)]);

const HOSTILE = '\u001b[31mred\u001b[0m <b>&"\u0000\nsecond line';

describe("the text report", () => {
  it("the text report begins with the verdict and fits in 80 columns", async () => {
    const text = textReport(
      await checked(receiver({ handle: ({ type }) => reply(/review/.test(type) ? 500 : 200) })),
    );
    expect(text).toMatch(/^✗ 1 requirement not met\n/);
    expect(text).toMatch(/^ {2}✗ must: an event type it does not know is not accepted \(probes 16, 20\)$/m);
    expect(text).toMatch(
      /^ {6}sent {8}charge\.review_opened, properly signed\n {6}event {7}evt_\w{24}\n {6}expected {4}2xx, and nothing done\n {6}response {4}.*\n {6}advice {6}Respond with 2xx and ignore it/m,
    );
    expect(text).toMatch(/^ {2}○ the same again: check yourself \(probe 2\)$/m);
    expect(text.trimEnd()).toMatch(/\n✗ 21 passed, 1 failed, 7 not judged$/);
    expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  it("the text report takes the error of an HTML page as the response", async () => {
    const page =
      "<!DOCTYPE html><html><head><title>Error</title></head><body><pre>TypeError: no order_id<br> at x.ts</pre></body></html>";
    const { probes } = await checked(() => ({ status: 500, text: page }));
    expect(probes[0]!.came_back).toMatch(/^500 in [^,]*, "TypeError: no order_id"/);
  });

  it("the text report counts only probes with a result", async () => {
    expect(textReport(await checked(() => reply(401))).trimEnd()).toMatch(
      /\n✗ 0 passed, 1 failed, 28 not judged$/,
    );
    expect(textReport(await checked(receiver()))).toMatch(/^✓ every requirement met\n/);
  });

  it("check-webhook prints one line after each probe", async () => {
    await using server = await serve(receiver());
    const lines: string[] = [];
    await checkAt(server.url, {}, { onRow: (row) => lines.push(`${server.count} ${probeLine(row, 80)}`) });
    expect(lines).toHaveLength(PROBES.length);
    expect(lines[0]).toMatch(/^1 ✓ {2}1 a valid event {19}200 in \d+ ms, "ok"\n$/);
    expect(lines[2]).toMatch(/^3 ✓ {2}3 a tampered body /);
    const printed = lines.flatMap((line) => line.replace(/^\d+ /, "").split("\n"));
    for (const line of printed) expect(line.length, line).toBeLessThanOrEqual(80);
  });

  it("the text report removes control characters from responses", async () => {
    const report = await checked(() => ({ status: 400, text: HOSTILE }));
    expect(textReport(report)).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  it("the text report shortens a long response", async () => {
    const report = await checked(() => ({ status: 400, text: "x".repeat(1_000_000) }));
    expect(report.probes[0]!.answers[0]!.body).toBe("x".repeat(200));
    expect(report.probes[0]!.came_back.length).toBeLessThan(400);
  });
});

describe("the JUnit report", () => {
  it("the JUnit report has a test case for each probe", async () => {
    const xml = junitReport(await checked(() => reply(200)));
    expect(xml).toContain(`tests="${PROBES.length}" failures="1" errors="0" skipped="17"`);
    expect(xml.match(/<testcase /g)).toHaveLength(PROBES.length);
    expect(xml).toMatch(
      /name="a tampered body"[^>]*>\s*<failure message="200 in [^>]*type="no_verification"/,
    );
    expect(xml).toContain('<skipped message="see 3 tampered: 200 in ');
  });

  it("the JUnit report does not pass probes without a result", async () => {
    const report = await checked(receiver());
    const xml = junitReport(report);
    expect(xml).toContain(
      `tests="${PROBES.length}" failures="0" errors="0" skipped="${report.summary.note}"`,
    );
    expect(xml).toMatch(
      /name="the same again"[^>]*>\s*<skipped message="Responses do not show if it did the work twice: [^>]*>sent: the accepted event again, /,
    );
  });

  it("the JUnit report passes a receiver that accepts one event and defers the rest", async () => {
    let count = 0;
    const report = await checked(() => (count++ === 0 ? reply(200) : reply(503, { "retry-after": "5" })));
    expect(report.outcome).toBe("failed");
    expect(report.findings.map(({ fault }) => fault)).toEqual(["forgeries_deferred"]);
    const xml = junitReport(report);
    expect(xml).toContain(`failures="1" errors="0" skipped="${PROBES.length - 2}"`);
    expect(xml).toMatch(/name="a large body"[^>]*>\s*<skipped message="It asked for a later retry /);
  });
});

it("a response after more than 5 s is reported once", async () => {
  const shop = new Shop();
  PLANTED.six_seconds!.plant(shop);
  await using server = await serve((incoming) => shop.receive(incoming));
  const report = await checkAt(server.url, {}, { wall: shop.wall });
  expect(textReport(report).match(/^ {2}○ should: .*/gm)).toEqual([
    "  ○ should: it takes more than 5 s to respond (probes 15, 18)",
  ]);
  expect(textReport(report)).toContain("the slowest in 6.0 s");
});

describe("check-webhook", () => {
  const folder = temporaryFolder();
  afterEach(() => {
    process.exitCode = undefined;
    vi.restoreAllMocks();
  });

  async function command(...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
    let [stdout, stderr] = ["", ""];
    vi.spyOn(process.stdout, "write").mockImplementation((text) => Boolean((stdout += text)));
    vi.spyOn(process.stderr, "write").mockImplementation((text) => Boolean((stderr += text)));
    // The streams belong to the test runner and must not get permanent listeners.
    for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, "on").mockReturnThis();
    await main(["node", "payments-sandbox", "check-webhook", ...args]);
    return { code: process.exitCode, stdout, stderr };
  }

  it("check-webhook exits with 0 when every requirement is met", async () => {
    await using server = await serve(receiver());
    const { code, stdout } = await command(server.url);
    expect(code).toBe(0);
    expect(stdout).toContain("22 passed, 0 failed");
    expect(stdout).not.toContain("\u001b[");
  });

  it("check-webhook exits with 1 when a requirement is not met", async () => {
    await using server = await serve(() => reply(200));
    const file = join(folder, "report.xml");
    const { code, stdout } = await command(server.url.replace("http://", ""), "--json", "--junit", file);
    expect(code).toBe(1);
    const report = JSON.parse(stdout) as WebhookReport;
    expect(report).toMatchObject({
      url: server.url,
      signature: "standard",
      outcome: "failed",
      timeout_ms: 15_000,
    });
    expect(readFileSync(file, "utf8")).toContain('failures="1"');
  });

  it("check-webhook prints the report even if the disk is too full for JUnit", async () => {
    await using server = await serve(() => reply(200));
    const { code, stdout, stderr } = await command(server.url, "--json", "--junit", "/dev/full");
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "payments-sandbox: --junit /dev/full cannot be written: the disk is full\n",
    });
    expect(JSON.parse(stdout).outcome).toBe("failed");
  });

  it("check-webhook exits with 2 when the receiver is unreachable", async () => {
    const server = await serve(receiver());
    await server.close();
    const file = join(folder, "unreachable.xml");
    const { code, stdout } = await command(server.url, "--junit", file);
    expect(code).toBe(2);
    const skipped = PROBES.length - 1;
    expect(readFileSync(file, "utf8")).toContain(`failures="0" errors="1" skipped="${skipped}"`);
    expect(stdout).toContain("cannot be reached: connect ECONNREFUSED");
    expect(stdout).toContain("○ Nothing listens there: start your app, or check the port of the URL.\n");
    expect(stdout).not.toContain("a valid event");
  });

  it.each([
    [["ftp://shop.test"], "URL must be an http or https URL"],
    [["localhost:1", "--secret", "abc"], "--secret must be whsec_"],
    [["localhost:1", "--signature", "strip"], "--signature must be one of standard, svix"],
    [["localhost:1", "--signature", "{"], "--signature is not valid JSON"],
    [
      ["localhost:1", "--signature", '{"header":"x-s","algorithm":"sha256"}'],
      "--signature encoding is required",
    ],
    [["localhost:1", "--timeout", "15"], "--timeout must be a duration"],
    [["localhost:1", "--timeout", "0s"], "--timeout must be more than nothing"],
  ])("check-webhook exits with 2 for invalid arguments: %j", async (args, message) => {
    const { code, stderr } = await command(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(`payments-sandbox: ${message}`);
  });

  it("check-webhook accepts any secret that the scheme allows", async () => {
    await using server = await serve(() => reply(401));
    const custom = '{"header":"x-s","algorithm":"sha256","encoding":"hex"}';
    const { stdout } = await command(server.url, "--secret", "abc", "--signature", custom, "--json");
    expect(JSON.parse(stdout).signature).toEqual(JSON.parse(custom));
  });
});

it("sandbox.checkWebhook() uses the sandbox's own secret and signature", async () => {
  await using server = await serve(() => reply(401));
  await using sandbox = await createSandbox({
    signature: "paystack",
    webhookSecret: "any-text",
    webhookTimeout: "3s",
  });
  expect(await sandbox.checkWebhook(server.url)).toMatchObject({ signature: "paystack", timeout_ms: 3_000 });
  const other = await sandbox.checkWebhook(server.url, { signature: "stripe", timeout: "2s" });
  expect(other).toMatchObject({ signature: "stripe", timeout_ms: 2_000 });
});

it("sandbox.checkWebhook() names an invalid option in camelCase", async () => {
  await using sandbox = await createSandbox();
  await expect(sandbox.checkWebhook("localhost:1", { secret: "abc" })).rejects.toThrow(
    new UserError("checkWebhook: secret must be whsec_ and at least 16 bytes in base64"),
  );
  await expect(sandbox.checkWebhook("localhost:1", { timout: "1s" } as object)).rejects.toThrow("timout");
});
