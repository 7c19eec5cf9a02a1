import { describe, expect, it } from "vitest";
import { type Handler, Receiver, refuseWith } from "../support/receiver-server.js";
import { startedWithReceiver } from "./support/dashboard.js";

/** A charge that is paid, and the delivery that said so. */
async function paid(handler?: Handler) {
  const dashboard = await startedWithReceiver(handler);
  const { charge, page, sandbox } = dashboard;
  await charge("ada@example.com", { metadata: { order_id: "A-1042" } });
  await charge("bob@example.com");
  await sandbox.advance("10s");
  const list = await page("/webhooks?type=charge.completed&q=a-1042");
  const id = /webhooks\/(dlv_[0-9a-f]+)/.exec(list)![1]!;
  const ask = async (path: string) =>
    (await dashboard.send(path)).json() as Promise<{ total: number; items: { mishap: object | null }[] }>;
  return { ...dashboard, id, ask };
}

describe("webhooks in the dashboard", () => {
  it("are sent again as edited: other signature, other URL, many times, each with its response", async () => {
    await using other = await Receiver.open();
    const { receiver, press, page, id, ask } = await paid();
    const data = '{"status":"ODD"}';
    for (const [sign, isThere, isFresh] of [
      ["right", true, true],
      ["none", false, true],
      ["stale", true, false],
    ] as const) {
      expect((await press(`resend?delivery_id=${id}`, { data, sign, times: "1" })).text).toContain(
        "Delivered: 2",
      );
      const { headers, body } = receiver.received.at(-1)!;
      expect(JSON.parse(body)).toMatchObject({ type: "charge.completed", data: { status: "ODD" } });
      expect([sign, "webhook-signature" in headers]).toEqual([sign, isThere]);
      const sent = Number(headers["webhook-timestamp"] ?? Date.now() / 1000);
      expect([sign, Date.now() / 1000 - sent < 600]).toEqual([sign, isFresh]);
    }
    const before = receiver.received.length;
    let count = 0;
    other.handler = (received) => received.answer(count++ === 1 ? 400 : 200);
    const sent = await press(`resend?delivery_id=${id}`, { data, sign: "wrong", times: "3", url: other.url });
    expect(sent.text).toContain("Sent 3 times: ");
    expect(sent.text).toMatch(/2 × 200/);
    expect(sent.text).toMatch(/1 × 400/);
    expect(sent.text).toContain("This event was sent 3 times");
    expect([receiver.received.length, other.received.length]).toEqual([before, 3]);
    // A refused redelivery: no retry follows, and the receiver's health does not change.
    expect((await ask("/_sandbox/deliveries?failing=1")).total).toBe(0);
    expect((await ask("/_sandbox/deliveries?status=pending")).total).toBe(0);
    expect(await page()).not.toContain("failing");
    expect((await ask("/_sandbox/deliveries?limit=1")).items[0]!.mishap).toMatchObject({
      by_hand: true,
      bad_signature: true,
      to_url: expect.stringContaining(other.url),
    });
  });

  it("report invalid fields, and keep their values", async () => {
    const { press, id, home } = await paid();
    const back = `${home}/webhooks/${id}`;
    for (const [fields, says] of [
      [{ data: "{no", times: "1" }, "data is not valid JSON"],
      [{ data: "[]", times: "1" }, "data must be a JSON object"],
      [{ data: "{}", times: "101" }, "times must be 1 to 100"],
      [{ data: "{}", times: "1", url: "http://169.254.169.254/" }, "cloud"],
      [{ data: "{}", times: "1", sign: "odd" }, "sign must be one of: right, wrong, none, stale"],
    ] as const) {
      const { status, text } = await press(`resend?delivery_id=${id}`, { ...fields, back });
      expect([status, text.includes(says)]).toEqual([409, true]);
      expect(text).toContain(`>${fields.data}</textarea>`);
    }
  });

  it("are all retried by one action, beyond a page of them", async () => {
    const { receiver, press, page, send, sandbox, id, ask } = await paid(refuseWith(500));
    const headers = { "content-type": "application/json" };
    const body = '{"times":100}';
    await send(`/_sandbox/deliveries/${id}/redeliver`, { method: "POST", headers, body });
    await sandbox.advance("1s");
    const failing = (await ask("/_sandbox/deliveries?failing=1")).total;
    expect(failing).toBeGreaterThan(100);
    const before = receiver.received.length;
    const webhookId = /value="retryAll\?webhook_id=(we_[0-9a-f]+)"/.exec(await page())![1]!;
    expect((await press(`retryAll?webhook_id=${webhookId}`)).text).toContain(
      `${failing} deliveries tried again`,
    );
    await sandbox.advance("1s");
    expect(receiver.received.length - before).toBeGreaterThanOrEqual(failing);
  });

  it("are filtered by words and kinds, as by the control API", async () => {
    const { page, ask } = await paid();
    const query = "type=charge.*&status=delivered&q=a-1042";
    const { total } = await ask(`/_sandbox/deliveries?${query}`);
    expect(total).toBe(3);
    const text = await page(`/webhooks?${query}`);
    expect(text).toContain("Deliveries: 3");
    expect(text.replaceAll("&#39;", "'").replaceAll("&amp;", "&")).toContain(
      "/_sandbox/deliveries?status=delivered&type=charge.*&q=a-1042",
    );
    expect(text).toMatch(/status=delivered&amp;q=a-1042"[^>]*>type: charge\.\*/);
    expect(await page("/webhooks?q=nobody")).toContain("None matches the filter.");
  });

  it("have receivers with their health, which are edited and disabled, and show why they wait", async () => {
    const { page, press, sandbox, charge } = await paid(refuseWith(500));
    const list = await page("/webhooks");
    expect(list).toMatch(/The last \d webhooks: 0 delivered, [1-9] failing/);
    expect(list).toMatch(/100 % fail[\s\S]*500 answer<\/span> · \*/);
    const id = /receiver=(we_[0-9a-f]+)#edit/.exec(list)![1]!;
    expect(await page(`/webhooks?receiver=${id}`)).toContain(
      `value="updateWebhookEndpoint?webhook_id=${id}"`,
    );
    await using mended = await Receiver.open();
    const said = await press(`updateWebhookEndpoint?webhook_id=${id}`, {
      url: mended.url,
      events: "charge.failed, charge.completed",
    });
    expect(said.text).toContain("receives charge.failed, charge.completed");
    await charge("cy@example.com");
    await sandbox.advance("10s");
    expect(mended.received.map(({ body }) => JSON.parse(body).type)).toContain("charge.completed");
    expect((await press(`updateWebhookEndpoint?webhook_id=${id}&enabled=false`)).text).toContain(
      "The receiver is off",
    );
    expect(await page("/webhooks")).toMatch(/<\/span> off/);
  });
});
