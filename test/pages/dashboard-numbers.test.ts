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
