import { describe, expect, it } from "vitest";
import { historyRows } from "../../src/core/reports/charge-history-text.js";
import type { ChargeHistory } from "../../src/core/reports/namespace-export.js";
import { refuseWith } from "../support/receiver-server.js";
import { said, startedWithReceiver } from "./support/dashboard.js";

const PAGE = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Service Temporarily Unavailable</title></head>
<body><h1>503</h1><hr>nginx</body></html>`;

describe("the error response of a webhook", () => {
  it.each([
    ["HTML page", PAGE, "Service Temporarily Unavailable"],
    ["HTML page without a title", "<html><body><h1 class=big>Bad gateway</h1>", "Bad gateway"],
    ["HTML page with entities", "<html><title>Tom &amp; Jerry&#39;s\n shop</title>", "Tom & Jerry's shop"],
    ["stack trace", "TypeError: no order\n    at handle (webhooks.ts:42:31)", "TypeError: no order"],
    [
      "JSON error with a code",
      JSON.stringify({ error: { code: "bad_signature", message: "No match" } }, null, 2),
      "bad_signature: No match",
    ],
    ["JSON error with messages", `{"message":["a","b"],"error":"Bad Request"}`, "Bad Request: a; b"],
    ["JSON problem", `{"type":"about:blank","title":"Busy","detail":"Try later"}`, "Try later"],
    ["other JSON", `{\n  "ok": false\n}`, `{"ok":false}`],
  ])("is one sentence on the dashboard and in the history: %s", async (_name, body, sentence) => {
    const { charge, page, sandbox } = await startedWithReceiver((received) =>
      received.response.writeHead(503).end(body),
    );
    const id = await charge("ada@example.com");
    await sandbox.advance("1s");
    const textOf = async (path: string) =>
      said(await page(path)).replace(/&(quot|#39|amp);/g, (_all, name: string) =>
        name === "quot" ? '"' : name === "amp" ? "&" : "'",
      );
    for (const path of ["", "/webhooks", `/charges/${id}`])
      expect(await textOf(path)).toContain(`503 ${sentence} · next try`);
    expect((await textOf(`/charges/${id}`)).replace(/\d+ ms/, "ms")).toContain(
      `✗ 503 ms ${sentence} Retry now`,
    );
    const history = await sandbox.control<ChargeHistory>(`GET /_sandbox/charges/${id}/timeline`);
    expect(historyRows(history).at(-1)!.text).toContain(` ms): ${sentence}`);
  });
});

describe("Needs attention", () => {
  it("lists failures before warnings, each by count", async () => {
    const { api, charge, page, press, sandbox } = await startedWithReceiver(refuseWith(500));
    await charge("ada@example.com");
    await sandbox.advance("10s");
    const refused = async (times: number, body: object) => {
      for (let time = 0; time < times; time++) await api.tryQuote(body);
    };
    await refused(7, { pricing: { base_currency: "KES", amount: 500 } });
    await refused(2, {});
    await press("activateScenario?name=slow");
    for (const name of ["carts", "orders", "shops"]) await api.get(`/api/v1/${name}`);
    const attention = said(`<main${(await page()).split('id="attention"')[1]!.split("</section>")[0]}`);
    expect([...attention.matchAll(/[✗⚠] (\S+ ?(?:×\d+|failing|more)?)/g)].map(([, badge]) => badge)).toEqual([
      "400 ×7",
      "3 failing",
      "400 ×2",
      "404 ",
      "404 ",
      "1 more",
      "active ",
    ]);
    expect(attention).toContain("Other failed calls /api/v1/carts 404: ");
  });
});
