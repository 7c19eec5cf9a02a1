import { createServer, request } from "node:http";
import { expect, it } from "vitest";
import { Api, okBody, openSandbox } from "../support/api-client.js";
import { atEnd } from "../support/lifetime.js";
import { listening } from "../support/servers.js";

const PREFIX = "/pay";

/** A proxy on a free port that strips the prefix, and has nothing beside it. */
async function openProxy(targetPort: () => number): Promise<number> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = "" } = incoming;
    if (!url.startsWith(`${PREFIX}/`)) return void outgoing.writeHead(404).end("outside of the prefix");
    const options = { port: targetPort(), method, headers, path: url.slice(PREFIX.length) };
    const forwarded = request({ ...options, host: "127.0.0.1" }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  atEnd(() => server.close());
  return listening(server);
}

/** A sandbox behind the proxy, with a payment and a delivery. */
async function openBehindProxy() {
  let port = 0;
  const proxyPort = await openProxy(() => port);
  const base = `http://127.0.0.1:${proxyPort}${PREFIX}`;
  const sandbox = await openSandbox({
    publicUrl: base,
    rateLimit: "off",
    scenario: "instant",
    webhooks: [{ mailbox: "tests" }],
  });
  ({ port } = await sandbox.listen());
  const api = new Api(sandbox);
  const { charge_id } = await api.pay();
  await api.get("/api/v1/payments/charges/ch_none");
  return { sandbox, api, base, charge_id };
}

/** Links of a page that lead to the same host, as a browser resolves them. */
function linksOf(html: string, url: string): string[] {
  const links = [...html.matchAll(/\s(?:href|src|action|formaction)="([^"#][^"]*)"/g)];
  return links
    .map(([, link]) => new URL(link!.replaceAll("&amp;", "&"), url))
    .filter(({ host }) => host === new URL(url).host)
    .map(({ href }) => href.replace(/#.*/, ""));
}

/** Follows every link from some pages; returns each URL with its status. */
async function walk(starts: readonly string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const waiting = [...starts];
  for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
    if (found.has(url)) continue;
    const response = await fetch(url);
    found.set(url, response.status);
    const text = await response.text();
    if (response.headers.get("content-type")?.startsWith("text/html"))
      waiting.push(...linksOf(text, response.url));
  }
  return found;
}

it("every link of every page keeps the prefix that a proxy strips", async () => {
  const { api, base } = await openBehindProxy();
  const order = { pricing: { base_currency: "KES", amount: "500.00" } };
  const { checkout_url } = okBody(
    await api.post<{ checkout_url: string }>("/api/v1/payments/checkouts", order),
  );
  const starts = ["/docs", "/_sandbox/docs", "/_sandbox/dashboard", "/_sandbox/dashboard/default/"];
  const found = await walk([...starts.map((path) => base + path), checkout_url]);
  expect([...found].filter(([url]) => !url.startsWith(`${base}/`))).toEqual([]);
  // Forms of a checkout only take a POST, to which a GET is redirected.
  expect([...found].filter(([, status]) => status !== 200)).toEqual([]);
  for (const path of ["dashboard.css", "dashboard.js", "dashboard/default/charges", "docs", "openapi.json"])
    expect([...found.keys()].some((url) => url.startsWith(`${base}/_sandbox/${path}`))).toBe(true);
  expect(found.size).toBeGreaterThan(50);
});

it("redirects keep the prefix that a proxy strips", async () => {
  const { base, charge_id } = await openBehindProxy();
  const home = `${base}/_sandbox/dashboard`;
  const browser = await fetch(`${base}/`, { headers: { accept: "text/html" } });
  expect([browser.status, browser.url]).toEqual([200, home]);
  const slash = await fetch(`${home}/default/charges/?mode=test`);
  expect([slash.status, slash.url]).toEqual([200, `${home}/default/charges?mode=test`]);
  const back = `/_sandbox/dashboard/default/charges/${charge_id}`;
  const body = new URLSearchParams({ do: "advanceClock?by=10s", back });
  const pressed = await fetch(`${home}/default`, { method: "POST", body, redirect: "manual" });
  expect(pressed.status).toBe(303);
  const location = new URL(pressed.headers.get("location")!, `${home}/default`);
  expect(location.href).toBe(base + back);
  const paths = pressed.headers.getSetCookie().map((cookie) => /Path=([^;]+)/.exec(cookie)?.[1]);
  expect(paths).toEqual(["/_sandbox/dashboard", `${PREFIX}/_sandbox/dashboard`]);
});
