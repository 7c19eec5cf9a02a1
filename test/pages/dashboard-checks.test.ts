import { describe, expect, it } from "vitest";
import { PROBES } from "../../src/core/schema/receiver-report.js";
import { lacking, said, started, startedWithReceiver } from "./support/dashboard.js";

describe("checks on the dashboard", () => {
  it("check a receiver: each probe with its request, its response, the fault and the remedy", async () => {
    const { receiver, sandbox, page, press } = await startedWithReceiver();
    const id = /value="check\?webhook_id=([^"]+)"/.exec(await page("/checks"))![1]!;
    const heard: string[] = [];
    const stream = await sandbox.fetch(new Request("http://sandbox/_sandbox/stream?view=light"));
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    const { location, text } = await press(`check?webhook_id=${id}`);
    while (!heard.join("").includes('"kind":"report"')) heard.push((await reader.read()).value!);
    await reader.cancel();
    expect(location).toBe("/_sandbox/dashboard/default/checks#probes");
    // It takes all there is, and so what is forged too.
    expect(said(text)).toMatch(/\d+ faults? found: \d+ passed, [1-9]\d* failed/);
    const checks = await page("/checks");
    expect(
      lacking(
        checks,
        PROBES.map((probe) => `data-key="${probe}"`),
      ),
    ).toEqual([]);
    expect(said(checks)).toContain("Seen in: tampered");
    const probe = await page("/checks/tampered");
    expect(said(probe)).toContain("What to do:");
    const { body } = receiver.received.find((one) => probe.includes(String(one.headers["webhook-id"])))!;
    expect(probe).toContain("webhook-signature:");
    expect(probe).toContain(JSON.parse(body).data.charge_id);
    expect(receiver.received.length).toBeGreaterThan(20);
    expect((await page("/checks/nonesuch")).toString()).toContain("Not found");
  });

  it("report an unreachable receiver, and refuse an empty URL", async () => {
    const { press, page } = await started({
      webhooks: [{ url: "http://127.0.0.1:9/none" }, { mailbox: "box" }],
    });
    const checks = await page("/checks");
    const ids = [...checks.matchAll(/value="check\?webhook_id=([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toHaveLength(1);
    expect((await press(`check?webhook_id=${ids[0]}`)).text).toMatch(/cannot be reached: .*refused/i);
    expect(await page("/checks")).toContain("not sent");
    expect((await press("check?webhook_id=we_none")).text).toContain("That receiver has been deleted");
  });

  it("compare the app's books with the ledger, pasted or as a file, each difference with its remedy", async () => {
    const { sandbox, charge, press, send, page, home } = await started();
    const paid = await charge("ada@example.com", { metadata: { order_id: "A-1" } });
    const open = await charge("stuck@example.com");
    await sandbox.advance("10s");
    const csv = `charge_id,metadata.order_id,status\n${paid},A-1,pending\n${open},,paid\n`;
    const { text, location } = await press("books", { rows: csv });
    expect(location).toBe(`${home}/checks#books`);
    expect(said(text)).toMatch(/2 differences: 2 rows against 2 charges/);
    const found = [
      "paid not marked",
      "line 2",
      "Redeliver its webhook",
      "marked not paid",
      "line 3",
      "order_id A-1",
    ];
    expect(lacking(said(await page("/checks")), found)).toEqual([]);
    const form = new FormData();
    form.set("do", "books");
    form.set("file", new File([`{"charge_id":"${paid}","status":"paid"}\n`], "books.jsonl"));
    form.set("partial", "on");
    const uploaded = await send(home, { method: "POST", body: form });
    expect([uploaded.status, said(await page("/checks")).includes("nothing differs")]).toEqual([303, true]);
    expect((await press("books", { rows: `charge_id,status\n${paid},odd` })).text).toMatch(
      /line 2: status .*odd.* is not a known status/,
    );
    expect((await press("books", { rows: "{ no" })).text).toContain(
      "line 1: is not JSON: column 3: expected a name in double quotes",
    );
    expect((await press("books", { rows: "" })).text).toContain("no rows");
  });
});
