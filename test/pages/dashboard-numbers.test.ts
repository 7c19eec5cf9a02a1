import { expect, it } from "vitest";
import { VIEWS } from "../../src/pages/dashboard/views.js";
import { Client } from "../support/receiver-client.js";
import { accept, refuseWith } from "../support/receiver-server.js";
import { textOf, withReceiver } from "./support/dashboard.js";

/** Opens a sandbox in which each kind of record is listed, more than a page of charges, and something is wrong. */
async function openAll() {
  const dashboard = await withReceiver((received) =>
    (received.body.includes('"charge.completed"') ? refuseWith(500) : accept)(received),
  );
  const { api, charge, press, put, sandbox } = dashboard;
  const client = Client.of(sandbox);
  await client.ask("POST /_sandbox/webhook-endpoints", { url: "http://127.0.0.1:9/hooks", enabled: true });
  for (let many = 0; many < 35; many++) await charge(`ada${many}@example.com`);
  for (const scenario of ["stuck", "stuck", "declined", "expired"])
    await charge("bob@example.com", { metadata: { sandbox_scenario: scenario } });
  await sandbox.advance("3h");
  for (let many = 0; many < 3; many++) await charge("cy@example.com");
  await sandbox.advance("2s");
  await press("fundBalance?mode=test", { currency: "KES", amount: "5000.00" });
  await put("waits", JSON.stringify({ withdrawals: [{ timeline: [] }] }));
  await press("activateScenario?name=waits");
  for (let many = 0; many < 3; many++) await client.withdraw({ currency: "KES", amount: "519.99" });
  for (let many = 0; many < 7; many++) await api.tryQuote({ pricing: { base_currency: "KES", amount: 5 } });
  for (let many = 0; many < 2; many++) await api.tryQuote({});
  for (const name of ["carts", "orders"]) await api.get(`/api/v1/${name}`);
  const rule = { match: { operation: "createQuote" }, respond: { status: 503 }, per: "request" };
  for (const times of [1, 9]) await press("createFault", { json: JSON.stringify({ ...rule, times }) });
  await api.tryQuote({});
  await api.tryQuote({});
  for (const name of ["one", "two"]) await press("createSnapshot", { name });
  await press("createNamespace", { name: "mine" });
  return dashboard;
}

const decoded = (text: string) => text.replaceAll("&amp;", "&").replaceAll("&#39;", "'");
const numberIn = (text: string) => Number(text.replaceAll(",", ""));

/** Section with the list of a view, if it has another name. */
const SECTIONS: Readonly<Record<string, string>> = {
  webhooks: "deliveries",
  money: "withdrawals",
  scenarios: "on",
};
const ROW = /<li class="row/g;

/** A section's list: the number in its heading, the rows that it shows, and the number that its pages say. */
function listsOf(page: string) {
  return [...page.matchAll(/<section id="([\w-]+)" data-part.*?<\/section>/gs)].flatMap(([section, id]) => {
    const heading = textOf(/<h2.*?<\/h2>/s.exec(section)![0]).trim();
    const stated = /^(?:[A-Z].*: )?([\d,]+)(?: [a-z]+)?$/.exec(heading)?.[1];
    const [list = ""] = section.split("<ul data-held");
    const rows = (list.match(/<li (?:class="(?:row|actions|card)[^"]*"|id="[^"]*" class="card)/g) ?? [])
      .length;
    const tableRows = (list.match(/<tr data-key/g) ?? []).length;
    const attempts = (list.match(/<li id="attempt-/g) ?? []).length;
    const pages = /–\d+ of ([\d,]+)/.exec(section)?.[1];
    const shown = pages === undefined ? rows + tableRows + attempts : numberIn(pages);
    return stated === undefined ? [] : [{ id, heading, stated: numberIn(stated), shown }];
  });
}

it("every number of the dashboard is that of the rows it stands above, or leads to", async () => {
  const { page, send, home } = await openAll();
  const faults: unknown[] = [];
  const read = async (path: string) => decoded(await (await send(path)).text());
  /** Follows a link as a browser does. */
  const follow = (from: string, href: string) => {
    const { pathname, search } = new URL(href, `http://sandbox${from}`);
    return pathname + search;
  };
  /** Number of records in the list that a link leads to; one for a record's own page. */
  const countedAt = async (path: string) => {
    const [, view = "", id] = path.slice(home.length).split(/[/?]/);
    if (id !== undefined && !path.includes("?")) return 1;
    const text = await read(path);
    if (view === "activity")
      return text.split('id="attention"')[1]!.split("</section>")[0]!.match(ROW)!.length;
    return listsOf(text).find((list) => list.id === (SECTIONS[view] ?? view))?.shown;
  };
  const objects = [...(await page("/charges")).matchAll(/data-key="(ch_\w+)"/g)].slice(0, 3);
  const deliveries = [...(await page("/webhooks")).matchAll(/data-key="(dlv_\w+)"/g)].slice(0, 3);
  const paths = [
    ...VIEWS.map(({ name }) => `${home}/${name}`),
    ...objects.map(([, id]) => `${home}/charges/${id}`),
    ...deliveries.map(([, id]) => `${home}/webhooks/${id}`),
    ...["charges?offset=30", "charges?status=FAILED", "webhooks?status=failing", "webhooks?status=held"].map(
      (list) => `${home}/${list}`,
    ),
  ];
  let numbers = 0;
  for (const path of paths) {
    const text = await read(path);
    for (const { id, heading, stated, shown } of listsOf(text)) {
      numbers++;
      if (stated !== shown) faults.push([path, id, heading, shown]);
    }
    const links = [
      ...text.matchAll(/<a href="([^"]+)"[^>]*>[^<]*<span class="count[^>]*>([\d,]+)</g),
      ...[
        ...text.matchAll(
          /<\/span> ([\d,]+) (?:failing|refused|held|stuck)<\/span><\/span>.*?<a href="([^"]+)"/gs,
        ),
      ].map(([all, count, href]) => [all, href!, count!]),
      ...text.matchAll(/<a href="([^"]+)"><span class="badge[^>]*>[^ ]*<\/span> ([\d,]+) failing</g),
      ...text.matchAll(/<a href="([^"]+)">([\d,]+)<span class="unseen"> deliver/g),
    ];
    for (const [, href, count] of links) {
      numbers++;
      const to = follow(path, href!);
      const rows = await countedAt(to);
      if (rows !== numberIn(count!)) faults.push([path, "leads to", to, count, rows]);
    }
  }
  expect(faults.map((fault) => JSON.stringify(fault))).toEqual([]);
  expect(numbers).toBeGreaterThan(100);
});

it("every number within a sentence of the dashboard is that of what it counts", async () => {
  const dashboard = await openAll();
  const { page, sandbox } = dashboard;
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary JSON
  type Json = any;
  const ask = async (id: string, input: object = {}): Promise<Json> =>
    sandbox.run(id as "getCharge", input as never);
  const total = async (id: string, input: object = {}) => (await ask(id, input)).total as number;
  const compared: [sentence: string, stated: number[], counted: number[]][] = [];
  /** Compares the numbers in each match of a pattern, whose first group may be the key of its row. */
  const compare = async (path: string, pattern: RegExp, count: (key: string) => Promise<number[]>) => {
    const text = decoded(await page(path));
    const matches = [...text.matchAll(pattern)];
    expect([path, String(pattern), matches.length > 0]).toEqual([path, String(pattern), true]);
    for (const [sentence, key = "", ...numbers] of matches)
      compared.push([sentence.slice(-80), numbers.map(numberIn), await count(key)]);
  };
  const row = (kind: string, sentence: string) =>
    new RegExp(`data-key="${kind}"(?:(?!<li).)*?${sentence}`, "gs");
  const attention = async (kind: string, key: string) =>
    (await ask("listAttention")).items.find((one: Json) => one.kind === kind && one.object === key).count;
  await compare("", row("receiver_failing-(\\w+)", ">([\\d,]+) webhooks? not accepted"), async (key) => [
    await total("listDeliveries", { webhook_id: key, state: "not_accepted" }),
  ]);
  await compare(
    "",
    row("payment_stuck-(\\w+)", ">([\\d,]+) (?:charges?|withdrawals?) not finished"),
    async (key) => [
      await total(key.startsWith("ch") ? "listCharges" : "listControlWithdrawals", { stuck: "1" }),
    ],
  );
  await compare("", row("call_refused-(\\w+)", " \\d{3} ([\\d,]+) times<"), async (key) => [
    await attention("call_refused", key),
  ]);
  await compare("", row("call_refused-(\\w+)", " and ([\\d,]+) more<"), async (key) => {
    const { response_body } = await ask("getRequest", { request_id: key });
    return [Object.keys(response_body.error.details).length - 1];
  });
  const due = (await ask("listNext", { limit: 100 })).items.filter(
    (one: Json) => one.at !== null && one.hold === null,
  );
  const upNext = async (query: string) => decoded(await page(query)).split('id="next"')[1]!;
  expect(await upNext("")).toContain(">All</a>");
  const listed = [...(await upNext("?due=all")).matchAll(/data-key="task-.*?<\/li>/gs)].map(
    ([item]) => 1 + Number(/and (\d+) more/.exec(item)?.[1] ?? 0),
  );
  compared.push(["Up next", [listed.reduce((a, b) => a + b)], [due.length]]);
  await compare("/charges", row("(ch_\\w+)", ">([\\d,]+) webhooks? failing"), async (key) => [
    (await ask("getCharge", { charge_id: key })).webhooks.failing,
  ]);
  await compare("/webhooks", row("(dlv_\\w+)", "· ([\\d,]+) attempts"), async (key) => [
    (await ask("getDelivery", { delivery_id: key })).attempts.length,
  ]);
  await compare("/webhooks", row("(we_\\w+)", ">([\\d]+) % of ([\\d]+)<"), async (key) => {
    const { items } = await ask("listDeliveries", { webhook_id: key, limit: 100 });
    const recent = items.filter((one: Json) => one.attempts.length > 0).slice(0, 50);
    const accepted = recent.filter((one: Json) => one.status === "delivered").length;
    return [Math.floor((100 * accepted) / recent.length), recent.length];
  });
  await compare("/scenarios", row("(\\w+)", "· applied ([\\d,]+) times?"), async (key) => [
    Object.values((await ask("getScenario", { name: key })).applied as object).reduce((a, b) => a + b, 0),
  ]);
  await compare("/faults", row("(flt_\\w+)", "[> ]([\\d,]+) of ([\\d,]+) used<"), async (key) => {
    const { applied, times } = await ask("getFault", { fault_id: key });
    return [applied, times];
  });
  const removed = /(removes) ([\d,]+) charges, ([\d,]+) withdrawals, ([\d,]+) events/g;
  await compare("/namespace", removed, async () => [
    await total("listCharges"),
    await total("listControlWithdrawals"),
    await total("listEvents"),
  ]);
  await compare("/namespace", row("(default)", ">([\\d,]+) charges"), async () => [
    await total("listCharges"),
  ]);
  expect(compared.filter(([, stated, counted]) => stated.join() !== counted.join())).toEqual([]);
  expect(compared.length).toBeGreaterThan(60);
});
