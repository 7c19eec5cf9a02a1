import { copyFileSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLatestKeys, decodeChange, encodeChange } from "../../src/core/engine/encode-change.js";
import { idScopeOf, numberedId } from "../../src/core/engine/ids.js";
import { LazyEvent } from "../../src/core/engine/lazy-event.js";
import type { NamespaceRecord, RecordKey, RecordPut, RecordReader } from "../../src/core/engine/records.js";
import { chargeDetailJson } from "../../src/core/engine/wire-views.js";
import { iso } from "../../src/core/schema/time.js";
import { isJournalEntry } from "../../src/core/store/stored-shapes.js";
import { createSandbox } from "../../src/index.js";
import { chargeWith } from "../support/charges.js";
import { temporaryFolder } from "../support/folders.js";
import { Client } from "../support/receiver-client.js";
import { stateAt } from "../support/store-model.js";

function copyOf(data: string): string {
  const copy = join(temporaryFolder(), "d.json");
  copyFileSync(data, copy);
  copyFileSync(`${data}.journal`, `${copy}.journal`);
  return copy;
}

const none: RecordReader = { get: () => undefined };

/** These puts as the journal has them. */
const encoded = (puts: readonly RecordPut[], records = none, latest = createLatestKeys()) =>
  JSON.parse(JSON.stringify(encodeChange({ seq: 1, at: 0, puts, counters: {} }, records, latest)));

describe("the journal", () => {
  it("holds no bytes of events and no fields that stayed, and the state is the same again", async () => {
    const data = join(temporaryFolder(), "d.json");
    const eventNames = { "charge.completed": "payment.successful" };
    await using sandbox = await createSandbox({
      data,
      eventNames,
      clock: "manual",
      webhooks: [{ mailbox: "m" }],
    });
    const shop = Client.of(sandbox);
    const refunded = await shop.pay({ amount: "50000.00" });
    await shop.pay({ scenario: "declined" });
    await shop.pay({ scenario: "paid_late", metadata: { order: "1" } });
    await sandbox.advance("2h");
    const bank = {
      type: "bank_account",
      currency: "NGN",
      account_number: "0123456789",
      account_name: "Ada",
      bank_code: "058",
    };
    const { destination_id } = (await shop.ask("POST /api/v1/payouts/destinations", bank)).json;
    const order = { destination_id, amount: "5000.00", currency: "NGN" };
    const withdrawal = await shop.ask("POST /api/v1/payouts/withdrawals", order);
    expect(withdrawal.status, withdrawal.text).toBe(200);
    await shop.transition(refunded, "REFUNDED");
    await sandbox.advance("1d");

    const copy = copyOf(data);
    expect(stateAt(copy)).toBe(JSON.stringify(sandbox.snapshot()));
    const journal = readFileSync(`${copy}.journal`, "utf8");
    expect(journal).toContain('"name":"payment.successful"},"derived"');
    expect(journal).toContain('"type":"withdrawal.completed"');
    expect(journal).not.toContain('"body":');
    // What its object and the change say of an event is not said again.
    expect(journal).not.toMatch(/"(event_id|organization_id)":[^}]*},"derived"/);
    expect(journal.match(/"checkout_id"/g)).toHaveLength(3);
  });
});

describe("an event without deliveries", () => {
  it("has the same id again when it is read from the journal", async () => {
    const data = join(temporaryFolder(), "d.json");
    const retention = { events: 3 };
    const names = { "charge.failed": "payment.failed" };
    const sandbox = await createSandbox({ data, clock: "manual", retention, eventNames: names });
    const shop = Client.of(sandbox);
    const ids = [await shop.pay(), await shop.pay(), await shop.pay({ scenario: "declined" })];
    await sandbox.advance("2h");
    const seen = (await shop.ask("GET /_sandbox/events")).json.items.at(-1);
    for (const id of ids.slice(0, 2)) await shop.transition(id, "REFUNDED");
    const { items } = (await shop.ask("GET /_sandbox/events")).json;
    const journal = readFileSync(`${data}.journal`, "utf8");
    expect(journal).toContain('{"seq":1,"type":"charge.awaiting_payment"},"derived"]');
    expect(journal).toContain('"type":"charge.failed","name":"payment.failed"},"derived"]');
    expect(journal).toContain(`["events","${seen.event_id}",null]`);
    const copy = copyOf(data);
    const state = stateAt(copy);
    expect(state).toBe(JSON.stringify(sandbox.snapshot()));
    for (const { event_id } of items) expect(state).toContain(event_id);
    await sandbox.close();
    await using again = await createSandbox({ data: copy, clock: "manual", retention, eventNames: names });
    expect((await Client.of(again).ask("GET /_sandbox/events")).json.items).toEqual(items);
  });

  it("has the number of its id told where that is another", () => {
    const world = { seed: "s", name: "n", generation: 2, restores: 1 } as NamespaceRecord;
    const records = { get: (name: string) => (name === "world" ? world : undefined) } as RecordReader;
    const charge = chargeWith({ charge_id: "ch_1", status: "COMPLETED" });
    const { mode, organization_id, charge_id } = charge;
    const type = "charge.completed";
    const event = new LazyEvent(
      { scope: idScopeOf(world), number: 12 },
      { seq: 7, type, at: iso(0), mode, organization_id, object_id: charge_id },
      { name: type, source: charge, toJson: chargeDetailJson },
    );
    const puts: RecordPut[] = [
      ["events", 7, event],
      ["charges", charge_id, charge],
    ];
    const kept = encoded(puts, records);
    expect(kept.puts[0]).toEqual(["events", 7, { type, number: 12 }, "derived"]);
    expect(JSON.stringify(decodeChange(kept, records).puts)).toBe(JSON.stringify(puts));
    expect(event.event_id).toBe(numberedId("s\0n\x002.1", "event", 12));
  });
});

describe("a charge", () => {
  it("like the one before it but for the customer takes at most 1,200 bytes, and is the same again", async () => {
    const data = join(temporaryFolder(), "d.json");
    await using sandbox = await createSandbox({ data, clock: "manual" });
    const shop = Client.of(sandbox);
    const pricing = { base_currency: "KES", amount: "500.00" };
    const priced = { pricing, payment_method: "mobile_money" };
    const bytesOf = async (name: string, phone: string) => {
      const { quote_id } = (await shop.ask("POST /api/v1/payments/quotes", priced)).json;
      // Its times are others too.
      await sandbox.advance("1s");
      const before = statSync(`${data}.journal`).size;
      const { status, text } = await shop.ask("POST /api/v1/payments/whitelabel", {
        ...priced,
        quote_id,
        customer_email: `${name}@shop.test`,
        customer_name: name,
        phone_number: phone,
        metadata: { order_id: `order-of-${name}` },
      });
      expect(status, text).toBe(200);
      return statSync(`${data}.journal`).size - before;
    };
    await bytesOf("ada", "+254700000001");
    expect(await bytesOf("grace.hopper", "+254700000002")).toBeLessThanOrEqual(1_200);
    const copy = copyOf(data);
    expect(stateAt(copy)).toBe(JSON.stringify(sandbox.snapshot()));
  });
});

describe("a record that changed", () => {
  const before = { code: "KES", rate: "1", note: undefined, list: [["a"], "b"] };
  it.each<[string, object, unknown[] | "whole"]>([
    ["in one field", { ...before, rate: "2" }, [{ rate: "2" }, "changed"]],
    ["by a further field", { ...before, more: "2" }, [{ more: "2" }, "changed"]],
    ["in nothing", { ...before }, [{}, "changed"]],
    ["in a list that goes on", { ...before, list: [["a"], "b", "c"] }, [{}, "changed", { list: ["c"] }]],
    ["in a list that is shorter", { ...before, list: [["a"]] }, [{ list: [["a"]] }, "changed"]],
    [
      "in a list, and not at its end alone",
      { ...before, list: [["b"], "b", "c"] },
      [{ list: [["b"], "b", "c"] }, "changed"],
    ],
    ["by a field that is gone", { code: "KES" }, "whole"],
    ["in the order of its fields", { rate: "1", code: "KES", note: "", list: [] }, "whole"],
    ["in a field that had no value", { ...before, note: "x" }, "whole"],
    ["in a field that has none now", { ...before, rate: undefined }, "whole"],
  ])("%s is the same again, to the byte", (_how, after, put) => {
    const records = (record: unknown) => ({ get: () => record }) as unknown as RecordReader;
    const puts = [["rates", "KES", after] as RecordPut];
    const kept = encoded(puts, records(before));
    const isWhole = put === "whole";
    expect(kept.puts).toEqual([["rates", "KES", ...(isWhole ? [JSON.parse(JSON.stringify(after))] : put)]]);
    const inFile = JSON.parse(JSON.stringify(before));
    expect(JSON.stringify(decodeChange(kept, records(inFile)).puts)).toBe(JSON.stringify(puts));
  });

  it("of a kind there was before is told by what sets it apart, and is the same again", () => {
    const latest = createLatestKeys();
    const puts: RecordPut[] = [
      ["rates", "KES", { code: "KES", rate: { buy: "1", sell: ["2"] }, note: "x" }],
      ["rates", "UGX", { code: "UGX", rate: { buy: "1", sell: ["2"] }, note: "x" }],
      ["rates", "NGN", { code: "NGN", rate: { sell: ["2"], buy: "1" }, note: "x" }],
      ["rates", "USD", { code: "USD" }],
    ];
    const kept = encoded(puts, none, latest);
    expect(kept.puts).toEqual([
      puts[0],
      ["rates", "UGX", { code: "UGX" }, "like", "KES"],
      ["rates", "NGN", { code: "NGN", rate: { sell: ["2"], buy: "1" } }, "like", "UGX"],
      puts[3],
    ]);
    expect(JSON.stringify(decodeChange(kept, none).puts)).toBe(JSON.stringify(puts));
    // The disk refused that change: what is tried again knows nothing of it.
    const again = { seq: 1, at: 0, puts: [puts[1]!, puts[3]!], counters: {} };
    expect(encodeChange(again, none, latest).puts).toEqual(again.puts);
  });

  it("of a kind there was before is told by the parts of the objects within it, and is the same again", () => {
    const text = "Send exactly 512.50 KES (Kenyan shilling) from ";
    const wayOf = (phone: string) =>
      JSON.parse(
        `{"type":"m","phone":"${phone}","text":"${text + phone}.","list":["${phone}"],"__proto__":"p"}`,
      );
    const puts: RecordPut[] = [
      ["rates", "KES", { code: "KES", way: wayOf("1") }],
      ["rates", "UGX", { code: "UGX", way: wayOf("😀1") }],
      ["rates", "NGN", { code: "NGN", way: wayOf("😁1") }],
      ["rates", "GHS", { code: "GHS", way: wayOf("😁1") }],
      ["rates", "ZAR", { code: "ZAR", way: { type: "other" } }],
      ["rates", "USD", { code: "USD", way: { type: "another" } }],
    ];
    const kept = encoded(puts);
    const fields = { phone: "😀1", list: ["😀1"] };
    const parts = { way: [fields, { text: [text.length, "😀", 2] }] };
    expect(kept.puts[1]).toEqual(["rates", "UGX", { code: "UGX" }, "like", "KES", parts]);
    expect(kept.puts[3]).toEqual(["rates", "GHS", { code: "GHS" }, "like", "NGN"]);
    expect(kept.puts[5]).toEqual(["rates", "USD", { code: "USD", way: { type: "another" } }, "like", "ZAR"]);
    expect(JSON.stringify(decodeChange(kept, none).puts)).toBe(JSON.stringify(puts));
  });

  it("as another did before it is told by the names of what they share, and is the same again", () => {
    const list = ["a"];
    const old = (code: string) => ({ code, rate: "1", note: "x", at: "1", list, more: { own: code } });
    const now = { rate: "2", note: "y", at: "2", list: [...list, "b"] };
    const there = new Map<RecordKey, object>(["KES", "UGX", "NGN", "GHS"].map((code) => [code, old(code)]));
    const records = { get: (_name: string, key: RecordKey) => there.get(key) } as unknown as RecordReader;
    const puts: RecordPut[] = [
      ["rates", "KES", { ...old("KES"), ...now }],
      ["rates", "UGX", { ...old("UGX"), ...now, more: { own: "other" } }],
      ["rates", "NGN", { ...old("NGN"), ...now, list: [...list, "c"] }],
      ["rates", "GHS", { ...old("GHS"), rate: "2" }],
    ];
    const kept = encoded(puts, records);
    expect(kept.puts).toEqual([
      ["rates", "KES", { rate: "2", note: "y", at: "2" }, "changed", { list: ["b"] }],
      ["rates", "UGX", { more: { own: "other" } }, "as", "KES", ["rate", "note", "at", "list"]],
      ["rates", "NGN", {}, "as", "UGX", ["rate", "note", "at"], { list: ["c"] }],
      // Too little to be worth it.
      ["rates", "GHS", { rate: "2" }, "changed"],
    ]);
    expect(isJournalEntry(kept)).toBe(true);
    expect(JSON.stringify(decodeChange(kept, records).puts)).toBe(JSON.stringify(puts));
  });

  it("as another did before it has its new fields in their order", () => {
    const old = { code: "KES", rate: "1", note: "x", at: "1" };
    const now = { rate: "2", note: "y", at: "2" };
    const records = {
      get: (_name: string, key: RecordKey) => ({ ...old, code: key }),
    } as unknown as RecordReader;
    const puts = [
      ["rates", "KES", { ...old, ...now, kind: "k", more: "m" }],
      ["rates", "UGX", { ...old, code: "UGX", ...now, kind: "other", more: "m" }],
    ] as unknown as RecordPut[];
    const kept = encoded(puts, records);
    expect(kept.puts[1]).toEqual([
      "rates",
      "UGX",
      { kind: "other", more: "m" },
      "as",
      "KES",
      Object.keys(now),
    ]);
    expect(JSON.stringify(decodeChange(kept, records).puts)).toBe(JSON.stringify(puts));
  });

  it.each([
    ["rates", "KES", {}, "as"],
    ["rates", "KES", {}, "as", "UGX"],
    ["rates", "KES", {}, "as", "UGX", "rate"],
    ["rates", "KES", {}, "as", "UGX", [1]],
    ["rates", "KES", {}, "as", "UGX", ["rate"], { list: "c" }],
    ["rates", "KES", {}, "as", "UGX", ["rate"], {}, 1],
  ])("is none when it is written as %j %j %j %j %j %j", (...put) => {
    expect(isJournalEntry({ seq: 1, at: 0, puts: [put], counters: {} })).toBe(false);
  });

  it("but was never there is a damage", () => {
    for (const put of [
      ["rates", "KES", {}, "changed"],
      ["rates", "UGX", {}, "like", "KES"],
      ["rates", "UGX", {}, "as", "KES", ["rate"]],
    ] as const)
      expect(() =>
        decodeChange({ seq: 7, at: 0, puts: [put], counters: {} }, { get: () => undefined }),
      ).toThrow(/^change 7 refers to rates (KES|UGX), which does not exist$/);
  });
});
