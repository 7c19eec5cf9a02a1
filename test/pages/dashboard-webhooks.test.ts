import { describe, expect, it } from "vitest";
import { historyRows } from "../../src/core/reports/charge-history-text.js";
import type { ChargeHistory } from "../../src/core/reports/namespace-export.js";
import { escapeXml } from "../../src/core/schema/text-format.js";
import { type Handler, Receiver, refuseWith } from "../support/receiver-server.js";
import { textOf, withReceiver } from "./support/dashboard.js";

/** Opens a dashboard with a paid charge and its webhook. */
async function openPaid(handler?: Handler) {
  const dashboard = await withReceiver(handler);
  const { charge, page, sandbox } = dashboard;
  await charge("ada@example.com", { metadata: { order_id: "A-1042" } });
  await charge("bob@example.com");
  await sandbox.advance("10s");
  const list = await page("/webhooks?type=charge.completed&q=a-1042");
  const id = /webhooks\/(dlv_[0-9a-f]+)/.exec(list)![1]!;
  const ask = async (path: string) =>
    (await dashboard.send(path)).json() as Promise<{
      total: number;
      items: { mishap: object | null; at: string | null; what: string }[];
    }>;
  return { ...dashboard, id, ask };
}

describe("webhooks in the dashboard", () => {
  it("the Retry all button retries failed webhooks of every page", async () => {
    const { receiver, press, page, send, sandbox, id, ask } = await openPaid(refuseWith(500));
    const headers = { "content-type": "application/json" };
    const body = '{"times":100}';
    await send(`/_sandbox/deliveries/${id}/redeliver`, { method: "POST", headers, body });
    await sandbox.advance("1s");
    const failing = (await ask("/_sandbox/deliveries?failing=1")).total;
    expect(failing).toBeGreaterThan(100);
    const before = receiver.received.length;
    const webhookId = /value="retryReceiver\?webhook_id=(we_[0-9a-f]+)"/.exec(await page())![1]!;
    expect(textOf((await press(`retryReceiver?webhook_id=${webhookId}`)).text)).toContain(
      `${failing} webhooks sent: 0 delivered`,
    );
    expect(receiver.received.length - before).toBeGreaterThanOrEqual(failing);
  });

  it("a delivery without a try left is given up, on its page and in what needs attention", async () => {
    const { charge, page, press, receiver, sandbox, id } = await openPaid(refuseWith(500));
    await sandbox.advance("10d");
    expect(textOf(await page(`/webhooks/${id}`))).toMatch(
      /charge\.completed ✗ given up .* 500 answer · given up · Fix the HTTP 500 at :\d+, then Retry /,
    );
    const text = await page();
    expect(textOf(text)).toMatch(
      /✗ 6 failing 6 webhooks not accepted by \S+, given up 500 answer · Fix the HTTP 500 at :\d+, then retry\. Retry all /,
    );
    const list = /\/webhooks\?(receiver=we_\w+&amp;status=not\+accepted)#deliveries" data-row>/.exec(
      text,
    )![1]!;
    expect(await page(`/webhooks?${list.replace("&amp;", "&")}`)).toContain("Deliveries: 6");
    await charge("cy@example.com");
    await sandbox.advance("1s");
    expect(textOf(await page())).toMatch(
      /✗ 7 failing 7 webhooks not accepted by \S+, 6 given up 500 answer /,
    );
    expect(textOf((await press(`retryDelivery?delivery_id=${id}`)).text)).toMatch(
      /charge\.completed → :\d+\/hooks · 500 answer · given up/,
    );
    receiver.handler = ({ response }) =>
      response.writeHead(500).end("TypeError: no id\n    at hooks.js:41:7");
    await press(`retryDelivery?delivery_id=${id}`);
    expect(textOf(await page(`/webhooks/${id}`))).toContain("Fix the TypeError at ");
    await receiver.close();
    await press(`retryDelivery?delivery_id=${id}`);
    const down = await page(`/webhooks/${id}`);
    expect(textOf(down)).toMatch(/ about A-1042 · ada@example\.com /);
    expect(textOf(down)).toMatch(/nothing listens · given up · Start your app at :\d+, then Retry /);
    expect(down).toMatch(/class="main"[^>]*>Retry</);
  });

  it("a receiver that is turned off counts as no failure, and its retries are dropped", async () => {
    const { charge, page, press, sandbox } = await withReceiver(refuseWith(500));
    await charge("ada@example.com");
    await sandbox.advance("10s");
    const id = /webhooks\/(dlv_[0-9a-f]+)/.exec(await page("/webhooks"))![1]!;
    const home = async () => (await page()).split("<dialog")[0]!;
    const on = await home();
    expect(on).toMatch(
      />3<span class="unseen"> failing<.*3 webhooks not accepted.*Up next.*retry charge\.completed → :\d+\/hooks</s,
    );
    const endpoint = /updateWebhookEndpoint\?webhook_id=we_[0-9a-f]+/.exec(await page("/webhooks"))![0];
    await press(`${endpoint}&enabled=false`);
    const off = await home();
    expect(off).not.toMatch(/failing<|not accepted|retry/);
    expect(off).toContain("Nothing is due.");
    expect(off).toContain("next due: nothing");
    expect(await page("/webhooks?status=failing")).toContain("Deliveries: 0");
    expect(textOf(await page("/webhooks?status=off"))).toMatch(/Deliveries: 3 .* ● off charge\.completed /);
    expect(textOf(await page(`/webhooks/${id}`))).toMatch(/Why: 500 answer · off: not retried Retry/);
    await sandbox.advance("1d");
    expect(textOf(await page(`/webhooks/${id}`))).toContain("Why: dropped: receiver was off Redeliver");
  });

  it("retries that are due at one time at one receiver name their first charge and count the others", async () => {
    const { charge, page, sandbox } = await withReceiver(refuseWith(500));
    const due = async () => /Up next .*? Activity/.exec(textOf(await page()))![0];
    for (const order_id of ["A-1040", "A-1041", "A-1042"])
      await charge("ada@example.com", { metadata: { order_id } });
    await sandbox.advance("1m");
    expect(await due()).toMatch(
      /retry charge\.awaiting_payment → :\d+\/hooks A-1040 and 2 more .*retry charge\.completed → :\d+\/hooks A-1040 and 2 more /,
    );
  });

  it("a group of what is due next has the number of its rows or none, and leads to all", async () => {
    const { ask, page, press, send, sandbox, id } = await openPaid(refuseWith(500));
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"times":100}' };
    await send(`/_sandbox/deliveries/${id}/redeliver`, init);
    await sandbox.advance("1s");
    await press(/value="(retryReceiver\?[^"]+)"/.exec(await page())![1]!);
    const due = await ask("/_sandbox/next?limit=100");
    const more = await ask("/_sandbox/next?limit=100&offset=100");
    const sizes = new Map<string, number>();
    for (const { at, what } of [...due.items, ...more.items])
      if (at !== null) sizes.set(`${at} ${what}`, (sizes.get(`${at} ${what}`) ?? 0) + 1);
    const section = /id="next".*?<\/section>/s.exec(await page())![0];
    const shown = [...textOf(section).matchAll(/and ((\d+) )?more/g)].map(([, , count]) => count);
    expect(shown).toContain(undefined);
    const isTrue = (count = "") => count === "" || [...sizes.values()].includes(Number(count) + 1);
    expect(shown.filter((count) => !isTrue(count))).toEqual([]);
    let rows = 0;
    let link = /class="what" href="([^"]+due=all[^"]*)"/.exec(section)?.[1];
    while (link !== undefined) {
      const all = await page(`?${link.split("?")[1]!.replace("&amp;", "&").replace(/#.*/, "")}`);
      rows += all.match(/data-key="task-/g)!.length;
      link = /href="([^"]+)">Later →/.exec(all)?.[1];
    }
    expect(rows).toBe([...sizes.values()].reduce((sum, size) => sum + size, 0));
  });

  it("the name of a receiver leads nowhere: its figures stand beside those of the others", async () => {
    const { page } = await openPaid(refuseWith(500));
    const section = /<section id="receivers".*?<\/section>/s.exec(await page("/webhooks"))![0];
    const [name, health] = [...section.matchAll(/<td.*?<\/td>/gs)].map(([cell]) => cell);
    expect(name).not.toContain("<a ");
    expect(health).toMatch(/<a href="[^"]*receiver=we_\w+&amp;status=not\+accepted#deliveries">/);
  });

  it("two receivers of one host are told apart where their webhooks are due", async () => {
    const { charge, page, receiver, sandbox } = await withReceiver(refuseWith(500));
    const { host } = new URL(receiver.url);
    const long = "/payments/europe/incoming/one/events";
    for (const path of [long, long.replace("one", "two")])
      await sandbox.run("createWebhookEndpoint", { url: `http://${host}${path}` });
    await charge("ada@example.com");
    await sandbox.advance("1s");
    const due = (await page()).split('id="next"')[1]!;
    const list = (await page("/webhooks")).split('id="deliveries"')[1]!;
    for (const text of [due, list])
      for (const name of ["one", "two"])
        expect(textOf(text)).toContain(`/payments/europe/incoming/${name}/events`);
  });

  it("filters webhooks by status, type and words", async () => {
    const { page, ask } = await openPaid();
    const query = "type=charge.*&status=delivered&q=a-1042";
    const { total } = await ask(`/_sandbox/deliveries?${query}`);
    expect(total).toBe(3);
    const text = await page(`/webhooks?${query}`);
    expect(text).toContain("Deliveries: 3");
    expect(text.replaceAll("&#39;", "'").replaceAll("&amp;", "&")).toContain(
      "/_sandbox/deliveries?state=delivered&type=charge.*&q=a-1042",
    );
    expect(await page("/webhooks?q=nobody")).toContain("None with search “nobody”.");
  });

  it("lists receivers, and can edit and disable them", async () => {
    const { page, press, sandbox, charge } = await openPaid(refuseWith(500));
    // A dropped delivery was never sent, and says nothing about the receiver.
    await charge("lost@example.com", { metadata: { sandbox_scenario: "webhooks_lost" } });
    await sandbox.advance("10s");
    const list = await page("/webhooks");
    expect(textOf(list)).toMatch(
      /Receiver Health Last error Accepted p50 p95 Deliveries Change \S+ all events · Standard Webhooks signature ✗ (\d) failing 500 answer 0 % of \1 \d+ ms \d+ ms \d+ deliveries Turn off /,
    );
    const id = /edit=(we_[0-9a-f]+)#edit/.exec(list)![1]!;
    expect(await page(`/webhooks?receiver=${id}`)).toContain('value="createWebhookEndpoint"');
    expect(await page(`/webhooks?edit=${id}`)).toContain(`value="updateWebhookEndpoint?webhook_id=${id}"`);
    expect(await page(`/webhooks?edit=${id}`)).toMatch(/<\/table><\/div>\s*<div id="edit">/);
    await using mended = await Receiver.open();
    const said = await press(`updateWebhookEndpoint?webhook_id=${id}`, {
      url: mended.url,
      events: "charge.failed, charge.completed",
    });
    expect(said.text).toContain("is on and receives charge.failed, charge.completed");
    await charge("cy@example.com");
    await sandbox.advance("10s");
    expect(mended.received.map(({ body }) => JSON.parse(body).type)).toContain("charge.completed");
    expect((await press(`updateWebhookEndpoint?webhook_id=${id}&enabled=false`)).text).toContain(" is off");
    expect(await page("/webhooks")).toMatch(/<\/span> off/);
  });

  it("the page of a webhook shows the changes since the previous event", async () => {
    const { receiver, charge, page, press, sandbox } = await withReceiver();
    await charge("ada@example.com");
    await sandbox.advance("10s");
    const list = await page("/webhooks?type=charge.completed");
    const id = /webhooks\/(dlv_[0-9a-f]+)/.exec(list)![1]!;
    expect(await page(`/webhooks/${id}`)).toMatch(
      /<del>&quot;PROCESSING&quot;<\/del> <ins>&quot;COMPLETED&quot;<\/ins>/,
    );
    const [, diff] = /<dl class="diff">(.*?)<\/dl>/s.exec(await page(`/webhooks/${id}`))!;
    const paths = [...diff!.matchAll(/<dt><code>([^<]+)/g)].map(([, path]) => path);
    expect(paths.slice(-3).sort()).toEqual(["data.updated_at", "id", "timestamp"]);
    const before = receiver.received.length;
    expect((await press(`redeliver?delivery_id=${id}`)).text).toMatch(/delivered: 2\d\d in \d+ ms/);
    expect(receiver.received).toHaveLength(before + 1);
  });
});

describe("the response of a webhook that is an HTML page", () => {
  it("is shown with its entities decoded", async () => {
    const page = "<pre>order &#39;A-1&#39; &nbsp;is gone</pre>";
    const dashboard = await withReceiver(({ response }) => response.writeHead(500).end(page));
    await dashboard.charge("ada@example.com");
    await dashboard.sandbox.advance("2s");
    const id = /webhooks\/(dlv_[0-9a-f]+)/.exec(await dashboard.page("/webhooks"))![1]!;
    expect(await dashboard.page(`/webhooks/${id}`)).toContain(
      "&lt;pre&gt;order &#39;A-1&#39;  is gone&lt;/pre&gt;",
    );
  });
});

const HTML_PAGE = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Service Temporarily Unavailable</title></head>
<body><h1>503</h1><hr>nginx</body></html>`;

const EXPRESS_PAGE = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Error</title>
</head>
<body>
<pre>TypeError: Cannot read &#39;id&#x27; of &lt;null&gt;<br> &nbsp; &nbsp;at handle (/app/webhooks.js:42:31)</pre>
</body>
</html>`;

describe("the error response of a webhook", () => {
  it.each([
    ["HTML page", HTML_PAGE, "Service Temporarily Unavailable"],
    ["HTML page without a title", "<html><body><h1 class=big>Bad gateway</h1>", "Bad gateway"],
    ["HTML page with entities", "<html><title>Tom &amp; Jerry&#39;s\n shop</title>", "Tom & Jerry's shop"],
    ["HTML page of Express", EXPRESS_PAGE, "TypeError: Cannot read 'id' of <null>"],
    [
      "HTML page with text only",
      "<html><title>Error</title><style>p{}</style><p>No\n <b>order</b><p>at 42",
      "No order",
    ],
    ["stack trace", "TypeError: no order\n    at handle (webhooks.ts:42:31)", "TypeError: no order"],
    [
      "JSON error with a code",
      JSON.stringify({ error: { code: "bad_signature", message: "No match" } }, null, 2),
      "bad_signature: No match",
    ],
    ["JSON error with messages", `{"message":["a","b"],"error":"Bad Request"}`, "Bad Request: a; b"],
    ["JSON problem", `{"type":"about:blank","title":"Busy","detail":"Try later"}`, "Try later"],
    ["other JSON", `{\n  "ok": false\n}`, `{"ok":false}`],
  ])("describes the error response of a webhook in one sentence: %s", async (_name, body, sentence) => {
    const { charge, page, sandbox } = await withReceiver((received) =>
      received.response.writeHead(503).end(body),
    );
    const id = await charge("ada@example.com");
    await sandbox.advance("1s");
    expect(textOf(await page())).toContain(`503 ${escapeXml(sentence)} `);
    for (const path of ["/webhooks", `/charges/${id}`])
      expect(textOf(await page(path))).toContain(`503 ${escapeXml(sentence)} · next try`);
    const history = await sandbox.control<ChargeHistory>(`GET /_sandbox/charges/${id}/timeline`);
    expect(historyRows(history).at(-1)!.text).toContain(` 503 ${sentence}`);
  });
});

describe("Needs attention", () => {
  it("the Needs attention list shows failing receivers, then refused calls, those with the most first", async () => {
    const { api, charge, page, sandbox } = await withReceiver(refuseWith(500));
    await charge("ada@example.com");
    await sandbox.advance("10s");
    const refused = async (times: number, body: object) => {
      for (let time = 0; time < times; time++) await api.tryQuote(body);
    };
    await refused(7, { pricing: { base_currency: "KES", amount: 500 } });
    await refused(2, {});
    for (const name of ["carts", "orders", "shops"]) await api.get(`/api/v1/${name}`);
    const badges = async () => {
      const attention = textOf(`<main${(await page()).split('id="attention"')[1]!.split("</section>")[0]}`);
      return [...attention.matchAll(/[✗⚠] (\d+ \w+)/g)].map(([, badge]) => badge);
    };
    expect(await badges()).toEqual([
      "3 failing",
      "7 refused",
      "2 refused",
      "1 refused",
      "1 refused",
      "1 refused",
    ]);
    await refused(8, {});
    expect((await badges()).slice(0, 3)).toEqual(["3 failing", "10 refused", "7 refused"]);
  });
});
