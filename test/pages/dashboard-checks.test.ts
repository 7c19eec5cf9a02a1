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
    expect(textOf(text)).toMatch(/\d+ faults? found: \d+ passed, [1-9]\d* failed/);
    const checks = await page("/checks");
    expect(
      lacking(
        checks,
        PROBES.map((probe) => `data-key="${probe}"`),
      ),
    ).toEqual([]);
    expect(textOf(checks)).toMatch(/ ✗ failed :?\S+ [1-9]\d* to fix, \d+ to review /);
    expect(textOf(checks)).toContain("Seen in: tampered");
    expect(checks).toMatch(/class="badge bad"><span[^>]*>.<\/span> must</);
    const probe = await page("/checks/tampered");
    expect(textOf(probe)).toContain("What to do:");
    const { body } = receiver.received.find((one) => probe.includes(String(one.headers["webhook-id"])))!;
    expect(probe).toContain("webhook-signature:");
    expect(probe).toContain(JSON.parse(body).data.charge_id);
    expect(receiver.received.length).toBeGreaterThan(20);
    expect((await page("/checks/nonesuch")).toString()).toContain("There is no probe");
  });

  it("the Checks page reports an unreachable receiver", async () => {
    const { press, page } = await openDashboard({
      webhooks: [{ url: "http://127.0.0.1:9/none" }, { mailbox: "box" }],
    });
    const checks = await page("/checks");
    const ids = [...checks.matchAll(/value="check\?webhook_id=([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toHaveLength(1);
    expect((await press(`check?webhook_id=${ids[0]}`)).text).toMatch(/cannot be reached: .*refused/i);
    expect(await page("/checks")).toContain("not sent");
  });
});
