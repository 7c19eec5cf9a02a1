import { describe, expect, it } from "vitest";
import { PROBES } from "../../src/core/schema/receiver-report.js";
import { lacking, openDashboard, textOf, withReceiver } from "./support/dashboard.js";

describe("Checks", () => {
  it("the Checks page shows the request and response of each check", async () => {
    const { receiver, sandbox, page, press } = await withReceiver();
    const id = /value="check\?webhook_id=([^"]+)"/.exec(await page("/checks"))![1]!;
    const heard: string[] = [];
    const stream = await sandbox.fetch(new Request("http://sandbox/_sandbox/stream?view=light"));
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    const { location, text } = await press(`check?webhook_id=${id}`);
    while (!heard.join("").includes('"kind":"report"')) heard.push((await reader.read()).value!);
    await reader.cancel();
    expect(location).toBe("/_sandbox/dashboard/default/checks#probes");
    // The receiver accepts even forged webhooks.
    const [counts] = /[1-9]\d* to fix, \d+ to review/.exec(textOf(text).split(" Check your receiver ")[1]!)!;
    expect(text).toMatch(new RegExp(`class="notice bad"[^>]*>\\S+: ${counts}<`));
    const checks = await page("/checks");
    expect(
      lacking(
        checks,
        PROBES.map((probe) => `data-key="${probe}"`),
      ),
    ).toEqual([]);
    expect(textOf(checks)).toMatch(new RegExp(` ✗ failed \\S+ ${counts} · \\w+`));
    expect(textOf(checks)).toContain("Seen in: tampered");
    const [shown, folded] = checks.split(/<summary>\d+ probes with the same cause/);
    expect(lacking(shown!, ['data-key="tampered"', 'data-key="valid"'])).toEqual([]);
    expect(shown).not.toContain('data-key="unsigned"');
    expect(folded).toContain('data-key="unsigned"');
    expect(checks).toMatch(/class="badge bad"><span[^>]*>.<\/span> must</);
    const probe = await page("/checks/tampered");
    expect(textOf(probe)).toContain("What to do:");
    const { body } = receiver.received.find((one) => probe.includes(String(one.headers["webhook-id"])))!;
    expect(probe).toContain("webhook-signature:");
    expect(probe).toContain(JSON.parse(body).data.charge_id);
    expect(receiver.received.length).toBeGreaterThan(20);
    expect((await page("/checks/nonesuch")).toString()).toContain("There is no probe");
  });

  it("the Checks page names the habits it looks for, and the failures it does not cover", async () => {
    const { charge, page, sandbox } = await withReceiver(({ response }) => response.writeHead(500).end("no"));
    expect(await page("/checks")).not.toContain("Advice does not cover");
    await charge("ada@example.com");
    await sandbox.advance("1s");
    const text = textOf(await page("/checks"));
    expect(text).toMatch(/Advice: 0 .* ✓ not seen Balances were read again too soon/);
    expect(text).toContain("Advice does not cover failing webhooks and refused calls: 1 in Needs attention");
    expect(text).toMatch(/not checked \S+ 1 webhook failing: 500 no · 30 probes/);
  });

  it("the Checks page reports each unreachable receiver in one line", async () => {
    const { press, page } = await openDashboard({
      webhooks: [{ url: "http://127.0.0.1:9/none" }, { url: "http://127.0.0.1:9/two" }, { mailbox: "box" }],
    });
    const checks = await page("/checks");
    const ids = [...checks.matchAll(/value="check\?webhook_id=([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toHaveLength(2);
    expect(textOf(checks)).toContain("not checked");
    expect((await press(`check?webhook_id=${ids[0]}`)).text).toMatch(/cannot be reached: .*refused/i);
    expect(await page("/checks")).not.toContain("not sent");
    await press(`check?webhook_id=${ids[1]}`);
    const both = await page("/checks");
    expect(textOf(both)).not.toContain("not checked");
    expect(both).toMatch(/probes-title">127\.0\.0\.1:9\/two: unreachable</);
    expect(await page(`/checks?receiver=${ids[0]}`)).toMatch(
      /probes-title">127\.0\.0\.1:9\/none: unreachable</,
    );
  });
});
