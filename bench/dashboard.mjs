// What people wait for in the dashboard: `node bench/dashboard.mjs [--seconds 60] [--charges 5000] [jobs|storm|large…]`.
// Needs the built package and a Chromium (CHROME_PATH, or on the PATH's usual places). Prints tables; fails for no time.
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { createSandbox } from "../dist/index.js";
import { HANDS, handOf, JOBS, makeJobWorld, openJobReceiver } from "./dashboard-jobs.mjs";
import { table } from "./table.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "60" },
    charges: { type: "string", default: "5000" },
  },
});
const PARTS = { jobs: timeJobs, storm, large };
const wanted = positionals.length === 0 ? Object.keys(PARTS) : positionals;
const executablePath = [process.env.CHROME_PATH, "/usr/bin/chromium", "/usr/bin/google-chrome"].find(
  (path) => path !== undefined && existsSync(path),
);
const ORDER = { pricing: { base_currency: "USD", amount: "5.00" }, payment_method: "card" };

for (const name of wanted) {
  if (PARTS[name] === undefined)
    throw new Error(`unknown part "${name}"; use: ${Object.keys(PARTS).join(", ")}`);
  await PARTS[name]();
}
process.exit(0);

async function withBrowser(work) {
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-quic", "--disable-background-networking"],
  });
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

/** Each job by each hand: presses, and seconds from the first page's request to the last thing seen. */
async function timeJobs() {
  const sandbox = await createSandbox({ rateLimit: "off" });
  const { url } = await sandbox.listen({ port: 0 });
  const receiver = await openJobReceiver();
  const took = JOBS.map(({ name }) => [name]);
  await withBrowser(async (browser) => {
    for (const hand of Object.keys(HANDS)) {
      const world = await makeJobWorld(url, `by-${hand.split(" ")[0]}`, receiver);
      const page = await (await browser.newContext(HANDS[hand])).newPage();
      for (const [place, { carryOut }] of JOBS.entries()) {
        const one = handOf(hand, page);
        const began = performance.now();
        await page.goto(world.home);
        await carryOut(one, world);
        took[place].push(`${one.presses} · ${((performance.now() - began) / 1000).toFixed(2)} s`);
      }
    }
  });
  await receiver.close();
  await sandbox.close();
  console.log(table("The ten jobs: presses · seconds", ["job", ...Object.keys(HANDS)], took));
}

/** Charges, 50 a second in real time, under a pointer that rests on a row. */
async function storm() {
  const sandbox = await createSandbox({ clock: "real", rateLimit: "off" });
  const { url } = await sandbox.listen({ port: 0 });
  const first = await charge(sandbox, "first@shop.test");
  await withBrowser(async (browser) => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${url}/_sandbox/dashboard/default/charges`);
    const row = page.locator(`[data-key="${first}"]`);
    // How soon what has happened is seen, before the storm.
    const seen = [];
    for (let many = 0; many < 20; many++) {
      const began = performance.now();
      const id = await charge(sandbox, `seen${many}@shop.test`);
      await page.locator(`[data-key="${id}"]`).waitFor();
      seen.push(performance.now() - began);
    }
    await row.hover();
    await page.evaluate(() => {
      window.measured = { long: [], shifts: 0 };
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) window.measured.long.push(duration);
      }).observe({ type: "longtask" });
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) window.measured.shifts += value;
      }).observe({ type: "layout-shift" });
    });
    const before = JSON.stringify(await row.boundingBox());
    const began = performance.now();
    let many = 0;
    for (; performance.now() - began < Number(values.seconds) * 1000; many++) {
      await charge(sandbox, `storm${many}@shop.test`);
      const ahead = began + (many + 1) * 20 - performance.now();
      if (ahead > 0) await new Promise((resolve) => setTimeout(resolve, ahead));
    }
    const lasted = (performance.now() - began) / 1000;
    const measured = await page.evaluate(() => window.measured);
    const isStill = before === JSON.stringify(await row.boundingBox());
    seen.sort((a, b) => a - b);
    console.log(
      table(
        "50 charges a second",
        ["", ""],
        [
          ["charges a second, reached", (many / lasted).toFixed(1)],
          ["seconds", lasted.toFixed(0)],
          ["the row under the pointer", isStill ? "has not moved" : "HAS MOVED"],
          ["layout shift", measured.shifts.toFixed(3)],
          ["tasks over 100 ms", String(measured.long.filter((ms) => ms > 100).length)],
          ["longest task, ms", Math.max(0, ...measured.long).toFixed(0)],
          ["a change is seen after, ms (median of 20, with the calls that make it)", seen[10].toFixed(0)],
          ["elements on the page", String(await page.evaluate(() => document.querySelectorAll("*").length))],
        ],
      ),
    );
  });
  await sandbox.close();
}

/** Many charges and ten events each: what the server takes for a page. */
async function large() {
  const sandbox = await createSandbox({
    clock: "manual",
    rateLimit: "off",
    retention: { requests: 1000, events: 100_000 },
  });
  const charges = Number(values.charges);
  const ids = [];
  for (let many = 0; many < charges; many++) ids.push(await charge(sandbox, `many${many}@shop.test`));
  for (let round = 0; round < 3; round++) await sandbox.advance("10s");
  let events = (await control(sandbox, "GET", "/_sandbox/events?limit=1")).total;
  for (const id of ids.slice(0, charges)) {
    if (events >= charges * 10) break;
    for (let more = 0; more < 6; more++, events++)
      await control(sandbox, "POST", "/_sandbox/events", { type: "charge.processing", charge_id: id });
  }
  const home = "/_sandbox/dashboard/default";
  const pages = {
    list: `${home}/charges`,
    "list, last page": `${home}/charges?offset=${charges - 30}`,
    search: `${home}/charges?q=many4321`,
    detail: `${home}/charges/${ids[0]}`,
    activity: home,
    webhooks: `${home}/webhooks`,
    ledger: `${home}/money`,
  };
  const rows = [];
  for (const [name, path] of Object.entries(pages)) {
    const took = [];
    for (let round = 0; round < 11; round++) {
      const began = performance.now();
      await (await sandbox.fetch(new Request(`http://sandbox${path}`))).text();
      took.push(performance.now() - began);
    }
    const [first] = took;
    took.sort((a, b) => a - b);
    rows.push([name, first.toFixed(1), took[5].toFixed(1)]);
  }
  const title = `${charges} charges, ${events} events: milliseconds at the server`;
  console.log(table(title, ["page", "first", "median of 11"], rows));
  await sandbox.close();
}

async function charge(sandbox, customer_email) {
  const { quote_id } = await call(sandbox, "quotes", ORDER);
  return (await call(sandbox, "whitelabel", { ...ORDER, quote_id, customer_email })).charge_id;
}

function call(sandbox, path, body) {
  return control(sandbox, "POST", `/api/v1/payments/${path}`, body, {
    authorization: `Bearer ${sandbox.apiKey}`,
  });
}

async function control(sandbox, method, path, body, headers = {}) {
  const response = await sandbox.fetch(
    new Request(`http://sandbox${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  return response.json();
}
