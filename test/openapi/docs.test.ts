import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { OpenApiDocument } from "../../src/server/openapi/document.js";
import { describeInBrowser, useBrowser } from "../pages/support/chromium.js";
import { impairmentFaults } from "../pages/support/impairments.js";
import { openSandbox, START } from "../support/api-client.js";
import { temporaryFolder } from "../support/folders.js";
import { joinTags } from "../support/markup.js";
import { schemaValidator } from "../support/openapi-answers.js";
import { closedDocument, shippedControlDocument } from "../support/openapi-control.js";
import { operationsOf, shippedDocument, unescaped } from "../support/openapi-document.js";

const SECRET = "whsec_c2VjcmV0c2VjcmV0c2VjcmV0";

describe.each([
  [
    "/docs",
    shippedDocument,
    215_000,
    [
      "_sandbox/docs",
      "openapi.json",
      "_sandbox/docs",
      "_sandbox/dashboard",
      "_sandbox/docs#advanceClock",
      "_sandbox/docs#payCheckout",
      "_sandbox/docs#listScenarios",
      "_sandbox/docs#advanceClock",
      "_sandbox/docs#payCheckout",
      "_sandbox/docs#createEvent",
    ],
  ],
  ["/_sandbox/docs", shippedControlDocument, 450_000, ["../docs", "openapi.json", "../docs", "dashboard"]],
])("GET %s", (path, documentOf, maxLength, links) => {
  let response: Response;
  let text: string;
  let document: OpenApiDocument;
  beforeAll(async () => {
    const sandbox = await openSandbox();
    response = await sandbox.fetch(new Request(`http://127.0.0.1:4402${path}`));
    text = joinTags(await response.text());
    document = await documentOf();
  });

  it("the API reference loads nothing and allows no other script", () => {
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("sandbox-now")).toBe(START);
    const policy = response.headers.get("content-security-policy");
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+';/);
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(text.length).toBeLessThan(maxLength);
    expect(text).not.toMatch(/ style="| on\w+="|<script src|<link rel="stylesheet"|@import|url\(/);
    expect([...text.matchAll(/ (?:src|href)="([^"#][^"]*)"/g)].map(([, to]) => to)).toEqual([
      expect.stringMatching(/^data:image\/svg\+xml/),
      ...links,
    ]);
  });

  it("shows every operation, event and schema, without dead links", () => {
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation } of operationsOf(document)) expect(ids).toContain(operation.operationId);
    for (const { name } of document.tags) expect(text).toContain(`<a href="#tag-${name}">${name}</a>`);
    for (const name of Object.keys(document.components.schemas)) expect(ids).toContain(`schema-${name}`);
    for (const type of Object.keys(document.webhooks)) expect(text).toContain(`>${type}</h3>`);
    expect(text).toContain('<li><a href="#errors">Error codes</a></li>');
    for (const [, target] of text.matchAll(/ href="#([^"]+)"/g)) expect(ids).toContain(target);
  });

  it("the API reference escapes values", () => {
    expect(text).toMatch(/&(amp|lt|quot);/);
    expect(text).not.toMatch(/undefined|\[object Object\]|>false</);
  });

  it("a field with an example has no pattern, and the lines of a call's body are indented", () => {
    expect(text.match(/Pattern <code>[^<]*<\/code>\. For example/g)).toBeNull();
    const calls = [...text.matchAll(/<pre id="\w+-curl"[^>]*>([^<]*)<\/pre>/g)].map(([, call]) => call);
    expect(calls.join("\n")).toContain("\n  -d '{\n    ");
    expect(calls.filter((call) => /\n[{}\]]/.test(call!))).toEqual([]);
  });

  it("the calls before a call are named above it, and folded", () => {
    const named = (id: string) =>
      new RegExp(
        `<summary>First \\(Copy includes it\\): ([^<]*)</summary><pre[^<]*</pre></details><pre id="${id}-curl"`,
      ).exec(text)?.[1];
    expect([named("createWithdrawal"), named("refundCharge"), named("createQuote")]).toEqual(
      path === "/docs"
        ? ["create a payout destination, fund a balance (sandbox only)", undefined, undefined]
        : [undefined, "create a standard checkout, advance a charge along its timeline", undefined],
    );
    expect(text.includes("Ctrl-C stops the stream.")).toBe(path === "/_sandbox/docs");
  });

  it("the header of most operations is described once", () => {
    expect(text).not.toContain("<code>Sandbox-Namespace</code>");
    expect(text.includes("is taken from the header Sandbox-Namespace")).toBe(path === "/_sandbox/docs");
  });

  it("the API reference shows code in backticks as code", () => {
    const prose = text.replace(/<(script|style|pre|code)\b.*?<\/\1>/gs, "");
    expect(prose.match(/.{0,60}`.{0,60}/g)).toBeNull();
  });

  it("the page marks assumptions about the service", () => {
    const isService = path === "/docs";
    expect(text).toContain('<span class="mark">assumed</span> marks what the sandbox decided');
    expect(text).not.toMatch(/<dt>(?:(?!<\/dt>).)*assumed/);
    const assumedIn = (id: string) => {
      const fold = new RegExp(
        `<div id="schema-${id}">(?:(?!<h4>).)*?</dl><details class="mark">(.*?)</details>`,
        "s",
      );
      const [, fields = ""] = fold.exec(text.replace(/<h4>Body: \w+<\/h4>/g, "")) ?? [];
      return fields.replace(/<[^>]+>/g, " ");
    };
    expect(assumedIn("WithdrawalRequest").includes("Assumed: all ")).toBe(isService);
    expect(assumedIn("WhitelabelRequest").includes("quote_id : A quote may be used")).toBe(isService);
    expect(text.includes("The service&#39;s documentation names this operation")).toBe(isService);
    expect(/-curl"[^>]*>[^<]*Authorization: Bearer/.test(text)).toBe(isService);
    expect(text.includes('<th scope="row"><code>svix</code></th><td><code>svix-id</code>')).toBe(isService);
  });

  it("begins with the base URL and a first call; assumptions come after it", () => {
    const [intro] = text.slice(text.indexOf("<h1>")).split("<section");
    expect(intro).toMatch(/<dt>Base URL<.*<h2>First call<\/h2><button.*<pre tabindex="0">curl /s);
    expect(intro).not.toMatch(/assum/);
  });

  it("required marks the fields that an app sends, and none that it receives", () => {
    expect(text).toMatch(/<h4>Body: \w+<\/h4>(?:(?!<h4>).)*class="required"/s);
    expect(text).not.toMatch(/<h4>Response: \w+<\/h4>(?:(?!<h4>).)*class="required"/s);
    for (const type of Object.keys(document.webhooks))
      expect(text.split(`>${type}</h3>`)[1]!.split("</section>")[0]).not.toContain('class="required"');
  });

  it("every call and event has an example, before its fields", () => {
    for (const { operation, path: route } of operationsOf(document)) {
      const [section] = new RegExp(`<section id="${operation.operationId}".*?</section>`, "s").exec(text)!;
      const [before, fields] = section.split(/<h4>(?:Parameters|Body|Response:|Errors|Your response)/);
      expect([route, fields === undefined]).toEqual([route, false]);
      const isRecorded = path === "/docs";
      expect(before, route).toMatch(/<h4>(Call|Example)<\/h4><button/);
      if (isRecorded)
        expect(before, route).toMatch(/<h4>(Response|Example)<\/h4><button.*<pre tabindex="0">[[{]/);
    }
  });

  it("every example response matches its schema and has a real value in each field", () => {
    const validatorAt = schemaValidator(closedDocument(document));
    for (const { operation, path: route, method } of operationsOf(document)) {
      const [section] = new RegExp(`<section id="${operation.operationId}".*?</section>`, "s").exec(text)!;
      const shown = /<h4>Response<\/h4><button.*?<pre[^>]*>([[{].*?)<\/pre>/s.exec(section)?.[1];
      if (shown === undefined) continue;
      const pointer = `#/paths/${route.replaceAll("/", "~1")}/${method.toLowerCase()}/responses/200/content`;
      const validate = validatorAt(encodeURI(`${pointer}/application~1json/schema`));
      validate(JSON.parse(unescaped(shown)));
      expect([operation.operationId, validate.errors]).toEqual([operation.operationId, null]);
      expect(shown).not.toMatch(/&quot;(…|)&quot;/);
    }
  });

  it("a body or response is shown where it is first used, and an error as the server sends it", () => {
    for (const { operation } of operationsOf(document)) {
      const { requestBody, responses } = operation as { requestBody?: object; responses: { 200?: object } };
      const bodies = JSON.stringify([requestBody, responses[200]]);
      for (const [, name] of bodies.matchAll(/"schema":\{"\$ref":"#\/components\/schemas\/(\w+)/g))
        expect(text).toContain(`<div id="schema-${name}">`);
    }
    expect(text).toContain('<pre>{ "error": { "code":');
    expect(text).not.toContain('<pre>{ "code":');
  });

  it("an error of most operations is shown with its code, and in full once", () => {
    const uses = text.match(/<a href="#INTERNAL_ERROR">INTERNAL_ERROR<\/a> <\/p>/g);
    const references = JSON.stringify(document.paths).match(/responses\/(InternalError|ServerError)"/g);
    expect(uses).toHaveLength(references!.length);
    expect(text.split('"code": "INTERNAL_ERROR"')).toHaveLength(2);
    expect(text).not.toContain('<dd><a href="#INTERNAL_ERROR');
  });

  it("an error that an operation shows in full links to its code", () => {
    const id = path === "/docs" ? "createQuote" : "createFault";
    const [section] = new RegExp(`<section id="${id}".*?</section>`, "s").exec(text)!;
    expect(section).toMatch(/<dt>400<\/dt><dd><p><a href="#VALIDATION_ERROR">VALIDATION_ERROR<\/a> The /);
  });

  it("the statuses in which a charge ends are marked final, or with those that may follow", () => {
    const ends = text.split("<h4>Ends of a charge</h4>")[1]!.split("</table>")[0]!;
    const rows = ends.replace(/<\/tr>/g, "\n").replace(/<[^>]+>/g, " ");
    expect(rows).toMatch(/ FAILED +final/);
    expect(rows).toMatch(/ EXPIRED +may still become PROCESSING or COMPLETED/);
  });

  it("the errors of many operations have each code and each sentence once", () => {
    const [errors] = /<section id="errors".*?<\/section>/s.exec(text)!;
    const codes = [...errors.matchAll(/<code>([A-Z_]+)<\/code>/g)].map(([, code]) => code);
    const shown = [...errors.matchAll(/<pre>.*?<\/pre>|<p>.*?<\/p>/g)].map(([part]) => part);
    expect(codes).toContain("NOT_FOUND");
    expect(codes).toEqual([...new Set(codes)]);
    expect(shown.filter((part) => part.includes("Sandbox-Namespace"))).toHaveLength(1);
    expect(
      shown.filter((part) => part.startsWith("<pre>") && shown.indexOf(part) !== shown.lastIndexOf(part)),
    ).toEqual([]);
  });

  it("long paths break after their separators", () => {
    expect(text).toContain(
      path === "/docs" ? "payouts/<wbr>destinations" : "deliveries/<wbr>{delivery_<wbr>id}/<wbr>retry",
    );
  });

  it("every event links to the responses of a receiver, which begin with the successful one", () => {
    for (const type of Object.keys(document.webhooks))
      expect(text.split(`>${type}</h3>`)[1]!.split("</section>")[0]).toContain('<a href="#receive">');
    const responses = text.split("<h4>Your response</h4>").slice(1);
    expect(responses.map((shown) => /<dt>\w+/.exec(shown)![0])).toEqual(path === "/docs" ? ["<dt>2XX"] : []);
  });

  it("an assumption that holds in several places begins with links to what it is about", () => {
    const shown = [...text.matchAll(/ id="assumed-\d+">(.*?)<\/p>/gs)].map(([, reason]) => reason!);
    expect(shown.length).toBeGreaterThan(3);
    expect(shown.filter((reason) => !/^(<code>[\w. -]+<\/code>|<a href="#\w+">)/.test(reason))).toEqual([]);
    expect(new Set(shown).size).toBe(shown.length);
    expect(shown.filter((reason) => reason.includes(" , "))).toEqual([]);
    if (path === "/docs")
      expect(shown.join()).toContain(
        '<a href="#createQuote">Create a quote</a> 400, <a href="#createWhitelabel">Create a whitelabel checkout</a> 400',
      );
  });

  it("a reason is plain text, folded under its mark, and names the source of what is documented", () => {
    if (path === "/docs")
      expect(text).toContain("<summary>Assumed</summary><p>Fields other than pricing, e-mail,");
    expect(text.match(/.{0,40}(the interface|x-sandbox-assumption).{0,40}/gi)).toBeNull();
  });

  it("an assumption that holds in several places is told once", () => {
    const told = [...JSON.stringify(document).matchAll(/"x-sandbox-assumption":"([^"`\\]{40,})"/g)];
    const shown = text.replaceAll("&#39;", "'");
    for (const [, reason] of told)
      if (!reason!.startsWith("The interface does not show this field"))
        expect(shown.split(reason!).length, reason).toBeLessThan(3);
  });

  it("the page exists only under the name of its namespace", async () => {
    const headers = { "sandbox-namespace": "nowhere" };
    const sandbox = await openSandbox();
    expect((await sandbox.fetch(new Request(`http://sandbox${path}`, { headers }))).status).toBe(404);
  });
});

describe("GET /docs", () => {
  const docsOf = async (sandbox: Awaited<ReturnType<typeof openSandbox>>) =>
    joinTags(await (await sandbox.fetch(new Request("http://127.0.0.1:4402/docs"))).text());
  const openDocs = async (...options: Parameters<typeof openSandbox>) =>
    await docsOf(await openSandbox(...options));
  const sectionOf = (text: string, id: string) =>
    new RegExp(`<section id="${id}".*?</section>`, "s").exec(text)![0];

  it("begins with a call that takes a payment, and has payments first", async () => {
    const text = await openDocs();
    const [intro] = text.split("<section");
    expect(intro).toContain("/api/v1/payments/whitelabel");
    for (const id of ["createQuote", "createWhitelabel", "createCheckout", "tag-Events", "outcomes"])
      expect(intro!.split("<h1>")[1]).toContain(`href="#${id}"`);
    expect(text.indexOf('<h2 id="tag-Payments">')).toBeLessThan(text.indexOf('<h2 id="tag-Catalogue">'));
  });

  it("lists what makes a charge end in which status, from the scenarios", async () => {
    const charges = [{ timeline: [{ after: "1s", to: "CANCELLED" }] }];
    const sandbox = await openSandbox();
    const body = JSON.stringify({ kind: "outcome", charges });
    await sandbox.fetch(
      new Request("http://sandbox/_sandbox/scenarios/own", {
        method: "PUT",
        body,
        headers: { "content-type": "application/json" },
      }),
    );
    const text = await docsOf(sandbox);
    expect(sectionOf(text, "outcomes")).toContain('<a href="_sandbox/docs#listScenarios">');
    const rows = sectionOf(text, "outcomes")
      .replace(/<\/td><td>/g, " | ")
      .replace(/<[^>]+>/g, "");
    expect(rows).toContain("customer_email declined@* | FAILED declined");
    expect(rows).toContain("customer_email late@* | EXPIRED, then COMPLETED");
    expect(rows).toContain("customer_email expired@* | EXPIRED");
    expect(rows).toContain("Sandbox-Scenario own | CANCELLED");
    for (const id of ["createWhitelabel", "createCheckout"])
      expect(sectionOf(text, id)).toContain('<a href="#outcomes">');
  });

  it.each([
    ["manual", '{ "by": "10s" }', "seconds later"],
    ["real", "by default <code>COMPLETED</code> seconds later", "/clock/advance"],
  ] as const)("says how a new charge moves on: %s clock", async (clock, part, other) => {
    const text = await openDocs({ clock });
    for (const shown of [text.split("<section")[0]!, sectionOf(text, "outcomes")]) {
      expect(shown).toContain(part);
      expect(shown).not.toContain(other);
      expect(shown).toMatch(/A hosted checkout first waits until the customer pays: .*#payCheckout/);
    }
  });

  it("shows the fields of a charge where it is read, and an event in Schemas", async () => {
    const text = await openDocs();
    expect(sectionOf(text, "getCharge")).toContain('<div id="schema-Charge">');
    expect(sectionOf(text, "getCharge")).toContain("/api/v1/payments/checkouts");
    expect(text).toContain('<section id="schema-ChargeEvent"');
    expect(sectionOf(text, "onChargeFailed")).toContain('data: <a href="#schema-Charge">');
  });

  it("an operation has its body before its parameters, and a scenario's header refers to the outcomes", async () => {
    const [, before, after] = /<h4>Body:(.*)<h4>Parameters<(.*)/s.exec(
      sectionOf(await openDocs(), "createCheckout"),
    )!;
    expect(before).toContain("<code>customer_email</code>");
    expect(after).toContain(
      '<code>Sandbox-Scenario</code> <span class="type">string header</span></dt><dd><a href="#outcomes">',
    );
  });

  it("states timeout, retries and secret as they are configured", async () => {
    const text = await openDocs();
    expect(text).toMatch(/<h2 id="tag-Events">Events<\/h2><p>Sent to your endpoints: verify each/);
    expect(sectionOf(text, "receive")).toMatch(/<ol><li>Verify .*<li>Store .*<li>Respond .*svix-id/s);
    expect(text).toContain("whsec_cGF5bWVudHMtc2FuZGJveC1kZWZhdWx0LXNlY3JldCE=");
    expect(sectionOf(text, "receive")).toContain("within 15s");
    expect(sectionOf(text, "receive")).toContain("after 5s, 5m, 30m, 2h, 5h, 10h, 14h, 20h, 1d");
    const own = { webhookTimeout: "3s", retrySchedule: ["7s"], webhookSecret: SECRET };
    const configured = await openDocs(own);
    expect(sectionOf(configured, "receive")).toMatch(/within 3s .* after 7s of/s);
    expect(configured).not.toContain(own.webhookSecret);
  });

  it("has code that accepts a signed event and refuses others", async () => {
    const [, code] = /<pre[^>]*>(import .*?)<\/pre>/s.exec(sectionOf(await openDocs(), "receive"))!;
    const file = join(temporaryFolder(), "verify.mjs");
    writeFileSync(file, `${unescaped(code!)}\nexport { verify };`);
    vi.stubEnv("PAYMENTS_WEBHOOK_SECRET", SECRET);
    const { verify } = await import(/* @vite-ignore */ pathToFileURL(file).href);
    const body = '{"type":"charge.completed"}';
    const signed = (at: Date, text = body) => ({
      "webhook-id": "evt_1",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": `v1,other ${new Webhook(SECRET).sign("evt_1", at, text)}`,
    });
    const now = new Date();
    expect(verify(signed(now), body)).toEqual({ type: "charge.completed" });
    expect(verify(signed(now), Buffer.from(body))).toEqual({ type: "charge.completed" });
    expect(() => verify(signed(now, "{}"), body)).toThrow("wrong signature");
    expect(() => verify({}, body)).toThrow();
    expect(() => verify(signed(new Date(now.getTime() - 400_000)), body)).toThrow("minutes off");
  });
});

it("fields of an object without a name are rows below it, and choices of objects are a list", async () => {
  const sandbox = await openSandbox();
  const text = joinTags(await (await sandbox.fetch(new Request("http://sandbox/_sandbox/docs"))).text());
  const row = '<code>respond</code> <span class="type">object </span></dt>';
  expect(text.split(row)[1]).toMatch(
    /^<dd>.*?<div class="inner"><dt><code>status<.*?required.*?<p>The HTTP status\./,
  );
  expect(text).toMatch(/<code>match<\/code> <span class="type"><a href="#schema-FaultMatch">/);
  expect(text).toMatch(/<h4>Response: stream of<\/h4><ul><li>\{ event: <code>hello<.*?<\/li><li>/);
  expect(text).toContain(
    '<code>hold</code> <span class="type"><code>webhook</code> or <code>idle</code> or string',
  );
});

it("example responses have the origin of the server", async () => {
  const sandbox = await openSandbox();
  const text = joinTags(await (await sandbox.fetch(new Request("http://127.0.0.1:4555/docs"))).text());
  expect(text.match(/"checkout_url": "[^"]*:\d+/g)).toEqual(['"checkout_url": "http://127.0.0.1:4555']);
  expect(text.includes("127.0.0.1:4402")).toBe(false);
});

it("an operation names the headers of its responses", async () => {
  const sandbox = await openSandbox();
  const text = joinTags(await (await sandbox.fetch(new Request("http://sandbox/docs"))).text());
  const [quote] = /<section id="createQuote".*?<\/section>/s.exec(text)!;
  expect(quote).toContain("Headers: RateLimit, RateLimit-Policy, Retry-After, Sandbox-Hint<");
});

describeInBrowser("in a browser", () => {
  const openWindow = useBrowser();

  async function visit(options: BrowserContextOptions, hash = ""): Promise<Page> {
    const sandbox = await openSandbox();
    const { url } = await sandbox.listen({ port: 0 });
    const tab = await (await openWindow(options)).newPage();
    const complaints: string[] = [];
    tab.on("console", (message) => complaints.push(message.text()));
    tab.on("pageerror", (error) => complaints.push(error.message));
    await tab.goto(`${url}/docs${hash}`);
    expect(complaints).toEqual([]);
    return tab;
  }

  it("the page is accessible in both colour schemes and on a phone", async () => {
    const tab = await visit({ colorScheme: "light", viewport: { width: 1280, height: 900 } });
    await tab.evaluate(() => {
      for (const part of document.querySelectorAll("details")) part.open = true;
    });
    const width = () => tab.evaluate(() => document.documentElement.scrollWidth);
    expect([await impairmentFaults(tab), await width()]).toEqual([[], 1280]);
    await tab.setViewportSize({ width: 375, height: 900 });
    await tab.emulateMedia({ colorScheme: "dark" });
    expect([await impairmentFaults(tab, { coloursOnly: true }), await width()]).toEqual([[], 375]);
  });

  it("a wide page shows the whole call and the response beside the fields", async () => {
    const tab = await visit({ viewport: { width: 1440, height: 1600 } }, "#createWhitelabel");
    const call = tab.locator("#createWhitelabel-curl");
    const boxOf = (selector: string) => tab.locator(`#createWhitelabel ${selector}`).first().boundingBox();
    await expect.poll(() => call.isVisible()).toBe(true);
    const [examples, fields] = [(await boxOf(".examples"))!, (await boxOf(".fields"))!];
    expect(examples.x).toBeGreaterThan(fields.x + fields.width);
    expect(examples.y).toBeLessThan(fields.y);
    const errors = (await boxOf(".errors pre"))!;
    expect(errors.y).toBeGreaterThan(examples.y + examples.height);
    expect(errors.x + errors.width).toBeCloseTo(examples.x + examples.width, 0);
    await tab.evaluate(() => {
      const fields = [...document.querySelectorAll("#createWhitelabel .sides .fields > div")];
      fields[Math.floor(fields.length / 4)]!.scrollIntoView();
    });
    expect((await boxOf(".examples"))!.y).toBeGreaterThanOrEqual(0);
    const broken = await tab.evaluate(() => {
      for (const part of document.querySelectorAll("details")) part.open = true;
      return [...document.querySelectorAll<HTMLElement>("pre[id$=-curl]")].flatMap((shown) => {
        shown.style.whiteSpace = "pre";
        return shown.scrollWidth > shown.clientWidth ? [shown.id] : [];
      });
    });
    expect(broken).toEqual([]);
  });

  it("examples taller than the window are shown in full, and their end stays in sight", async () => {
    const tab = await visit({ viewport: { width: 1440, height: 700 } }, "#getCharge");
    const examples = tab.locator("#getCharge .examples");
    const response = examples.locator("pre").last();
    expect(await response.evaluate((shown) => shown.scrollWidth - shown.clientWidth)).toBe(0);
    expect(await examples.evaluate((shown) => shown.clientHeight - shown.scrollHeight)).toBe(0);
    await tab.locator("#getCharge .sides .fields > div").last().scrollIntoViewIfNeeded();
    const end = async () => {
      const { y, height } = (await examples.boundingBox())!;
      return [height > 700, y + height <= 700, y + height > 350];
    };
    await expect.poll(end).toEqual([true, true, true]);
  });

  it("base URL and key can be copied above the fold, and no paragraph is wide", async () => {
    const tab = await visit({ viewport: { width: 1440, height: 900 } });
    await tab.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    for (const [label, value] of [
      ["Base URL", new URL(tab.url()).origin],
      ["Test API key", "sk_test_sandbox"],
    ]) {
      const button = tab.getByRole("button", { name: `Copy ${label}` });
      expect((await button.boundingBox())!.y).toBeLessThan(300);
      await button.click();
      await expect.poll(() => tab.evaluate(() => navigator.clipboard.readText())).toBe(value);
    }
    const wide = await tab.evaluate(() => {
      for (const part of document.querySelectorAll("details")) part.open = true;
      return [...document.querySelectorAll("main p")].flatMap((text) => {
        const lines =
          text.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(text).lineHeight);
        return text.textContent!.length / Math.round(lines) > 80 ? [text.textContent] : [];
      });
    });
    expect(wide).toEqual([]);
  });

  it("the page filters, copies, and works with the keyboard", async () => {
    const tab = await visit({ viewport: { width: 1280, height: 900 } });
    await tab.keyboard.press("Tab");
    await tab.keyboard.press("Enter");
    expect(await tab.evaluate(() => location.hash)).toBe("#reference");
    await tab.getByLabel("Filter").fill("rotate secret");
    await expect.poll(() => tab.locator("main section:visible").count()).toBe(1);
    expect(await tab.locator("#rotateWebhookSecret").isVisible()).toBe(true);
    await tab.getByLabel("Filter").press("Enter");
    expect(await tab.evaluate(() => location.hash)).toBe("#rotateWebhookSecret");
    await expect.poll(() => tab.locator("#rotateWebhookSecret-curl").isVisible()).toBe(true);
    const marked = () => tab.locator("nav [aria-current]").getAttribute("href");
    await tab.getByLabel("Filter").fill("withdraw");
    await tab.getByLabel("Filter").press("Enter");
    await expect.poll(() => tab.locator("#createWithdrawal-curl").isVisible()).toBe(true);
    // The scroll of the jump is handled in the next frame.
    await tab.evaluate(() => new Promise(requestAnimationFrame));
    await expect.poll(marked).toBe("#createWithdrawal");
    // Matching names come first, and everything else is hidden.
    await tab.getByLabel("Filter").fill("quote");
    await expect.poll(() => tab.locator("#found").textContent()).toMatch(/^\d found; \d+ more mention it$/);
    expect(await tab.locator("nav .tag:visible, main h2:visible").allTextContents()).toEqual([
      "Payments",
      "Payments",
    ]);
    await tab.getByRole("button", { name: /^Show \d+ more$/ }).click();
    await expect.poll(() => tab.locator("#found").textContent()).toMatch(/^\d+ found$/);
    await tab.getByLabel("Filter").fill("RATE_LIMIT_EXCEEDED");
    await expect.poll(() => tab.locator("main section:visible").count()).toBe(1);
    expect(await tab.locator("#errors").isVisible()).toBe(true);
    await tab.getByLabel("Filter").fill("zebra");
    await expect.poll(() => tab.locator("#found").textContent()).toBe("Nothing found");
    await tab.getByRole("button", { name: "Clear" }).click();
    expect(await tab.getByLabel("Filter").inputValue()).toBe("");
    await tab.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await tab.locator("#createQuote h3").click();
    expect(new URL(tab.url()).hash).toBe("#createQuote");
    for (const shown of await tab.locator("#createQuote .snippet").all()) {
      await shown.getByRole("button").click();
      const copied = () => tab.evaluate(() => navigator.clipboard.readText());
      await expect.poll(copied).toBe(await shown.locator("pre").textContent());
      await expect.poll(() => tab.locator("#said").textContent()).toBe("Copied");
      // The copied code comes next, and its ring is inside the scrolled column.
      await tab.keyboard.press("Tab");
      const focused = await tab.evaluate(() => [
        document.activeElement!.tagName,
        getComputedStyle(document.activeElement!).outlineOffset,
      ]);
      expect(focused).toEqual(["PRE", "-3px"]);
    }
    // A link to a hidden part clears the filter.
    await tab.getByLabel("Filter").fill("quote");
    await tab.locator("#createQuote").getByRole("link", { name: "Pricing", exact: true }).first().click();
    await expect.poll(() => tab.locator("#schema-Pricing").isVisible()).toBe(true);
    expect(await tab.getByLabel("Filter").inputValue()).toBe("");
  });

  it.each(["retry", "Retried", "timeout", "declined", "quote expired", "take a payment"])(
    "the filter finds and marks each text on the page: %s",
    async (words) => {
      const tab = await visit({ viewport: { width: 1280, height: 900 } });
      await tab.getByLabel("Filter").fill(words);
      await expect.poll(() => tab.locator("#found").textContent()).toMatch(/^[1-9]\d* found/);
      const marked = () =>
        tab.evaluate(() =>
          [...CSS.highlights.get("found")!].map((range) => range.startContainer.textContent!.toLowerCase()),
        );
      const [last] = words.toLowerCase().split(" ").reverse();
      expect((await marked()).some((text) => text.includes(last!))).toBe(true);
    },
  );

  it.each([
    ["fail", "outcomes"],
    ["refund", "outcomes"],
    ["expired", "outcomes"],
    ["secret", "receive"],
    ["take a payment", "createWhitelabel"],
    ["take a payment", "createCheckout"],
  ])("the filter finds a task by its words: %s, %s", async (words, id) => {
    const tab = await visit({ viewport: { width: 1280, height: 900 } });
    await tab.getByLabel("Filter").fill(words);
    await expect.poll(() => tab.locator("#found").textContent()).toMatch(/^[1-6] found/);
    expect(await tab.locator(`#${id}`).isVisible()).toBe(true);
  });

  it.each(["quote_id", "checkout_url"])(
    "Enter marks the row of a field, and shows the title if both fit: %s",
    async (name) => {
      const tab = await visit({ viewport: { width: 1440, height: 1800 } });
      await tab.getByLabel("Filter").fill(name);
      await tab.keyboard.press("Enter");
      const match = tab.locator("dt.match");
      expect(await match.locator("code").textContent()).toBe(name);
      const title = tab.locator("section", { has: match }).locator("h3");
      for (const shown of name === "quote_id" ? [title, match] : [match]) {
        const { y, height } = (await shown.boundingBox())!;
        expect([y >= 0, y + height <= 1800]).toEqual([true, true]);
      }
    },
  );

  it("clearing the filter returns to where it began, or to the section opened since", async () => {
    const tab = await visit({ viewport: { width: 1280, height: 900 } });
    const top = () => tab.evaluate(() => scrollY);
    await tab.evaluate(() => scrollTo(0, 1000));
    await tab.keyboard.press("/");
    await tab.keyboard.type("secret");
    expect(await top()).toBe(0);
    await tab.keyboard.press("Escape");
    expect([await tab.getByLabel("Filter").inputValue(), await top()]).toEqual(["", 1000]);
    await tab.keyboard.type("zebra");
    await tab.getByRole("button", { name: "Clear" }).click();
    expect(await top()).toBe(1000);
    await tab.getByLabel("Filter").fill("balances");
    await tab.keyboard.press("Enter");
    await tab.getByLabel("Filter").fill("");
    const { y } = (await tab.locator("#getBalances").boundingBox())!;
    expect(y).toBeCloseTo(16, 0);
  });

  it("the filter stays in sight while the contents scroll", async () => {
    const tab = await visit({ viewport: { width: 1280, height: 500 } }, "#errors");
    await expect.poll(() => tab.locator("nav").evaluate((nav) => nav.scrollTop)).toBeGreaterThan(100);
    const bar = (await tab.locator("nav").boundingBox())!;
    for (const shown of [tab.getByLabel("Filter"), tab.getByRole("button", { name: "Expand all" })]) {
      const { y } = (await shown.boundingBox())!;
      expect([y >= bar.y, y < bar.y + 120]).toEqual([true, true]);
    }
  });

  it.each([
    ["snapshot", /^Nothing found$/, "#createSnapshot"],
    ["refund", /^\d+ found/, "#refundCharge"],
  ])("a filter links to the same search in the other reference: %s", async (words, count, id) => {
    const tab = await visit({ viewport: { width: 1280, height: 900 } });
    await tab.getByLabel("Filter").fill(words);
    expect(await tab.locator("#found").textContent()).toMatch(count);
    await tab.getByRole("link", { name: "Search the Control API reference" }).click();
    await tab.waitForURL(`**/_sandbox/docs?filter=${words}`);
    await expect.poll(() => tab.locator(id).isVisible()).toBe(true);
    expect(await tab.getByLabel("Filter").inputValue()).toBe(words);
  });

  it("Enter shows the first place of a word that the title lacks", async () => {
    const tab = await visit({ viewport: { width: 1280, height: 600 } });
    await tab.getByLabel("Filter").fill("refund");
    await tab.keyboard.press("Enter");
    const match = tab.locator("#outcomes tr.match");
    expect(await match.textContent()).toContain("REFUNDED");
    const { y, height } = (await match.boundingBox())!;
    expect([y >= 0, y + height <= 600]).toEqual([true, true]);
  });

  it("the contents mark the target of a link and an opened section", async () => {
    const tab = await visit({ viewport: { width: 1280, height: 900 } });
    const marked = () => tab.locator("nav [aria-current]").allTextContents();
    await tab.locator("#createCheckout h3").click();
    await expect.poll(marked).toEqual(["Create a standard checkout"]);
    for (const name of ["Assumptions", "Events"]) {
      await tab.locator("nav").getByRole("link", { name, exact: true }).click();
      await tab.evaluate(() => new Promise(requestAnimationFrame));
      await expect.poll(marked).toEqual([name]);
    }
    await tab.goto(`${new URL(tab.url()).origin}/docs#schema-Pricing`);
    await expect.poll(() => tab.locator("nav").getByRole("link", { name: "Pricing" }).isVisible()).toBe(true);
  });

  it("Enter opens the section that mentions the words, and marks and shows where", async () => {
    const tab = await visit({ viewport: { width: 390, height: 844 } });
    await tab.keyboard.press("/");
    await tab.keyboard.type("429");
    await tab.keyboard.press("Enter");
    const match = tab.locator("#errors .match");
    expect(await match.textContent()).toBe("429 RATE_LIMIT_EXCEEDED");
    const bar = (await tab.locator("nav").boundingBox())!;
    const { y, height } = (await match.boundingBox())!;
    expect(y).toBeGreaterThanOrEqual(bar.y + bar.height);
    expect(y + height).toBeLessThan(844);
    await tab
      .getByLabel("Filter")
      .evaluate((input) => input.closest("details")!.toggleAttribute("open", true));
    await tab.getByLabel("Filter").fill("quote");
    await tab.getByLabel("Filter").press("Enter");
    expect(await tab.locator(".match").count()).toBe(0);
  });

  it("pressing a key opens the filter and expands every section", async () => {
    const tab = await visit({ viewport: { width: 375, height: 900 } });
    await tab.keyboard.press("/");
    await tab.keyboard.type("balances");
    expect(await tab.getByLabel("Filter").inputValue()).toBe("balances");
    await expect.poll(() => tab.locator("#getBalances").isVisible()).toBe(true);
    await tab.getByRole("button", { name: "Expand all" }).press("Enter");
    const call = tab.locator("#getBalances-curl");
    expect(await call.isVisible()).toBe(true);
    expect(await call.evaluate((shown) => shown.scrollWidth > shown.clientWidth)).toBe(true);
  });

  it("a link to the reason of an assumption marks the reason", async () => {
    const tab = await visit({ viewport: { width: 1280, height: 900 } }, "#createCheckout");
    await tab.locator("#createCheckout .fields + details.mark > summary").first().click();
    await tab.locator("#createCheckout .fields + details.mark a").first().click();
    const target = tab.locator(":target");
    const colourOf = () => target.evaluate((shown) => getComputedStyle(shown).backgroundColor);
    await expect.poll(colourOf).not.toBe("rgba(0, 0, 0, 0)");
    expect(await target.textContent()).toMatch(/^\w.*: /);
  });

  it.each([
    ["an event", "#charge.completed", "Example"],
    ["an error", "#RATE_LIMIT_EXCEEDED", "RATE_LIMIT_EXCEEDED"],
    ["an error of several kinds", "#NOT_FOUND", "NOT_FOUND"],
  ])("a link to the name of %s expands its section, also without the script", async (_of, hash, part) => {
    for (const javaScriptEnabled of [true, false]) {
      const tab = await visit({ javaScriptEnabled, viewport: { width: 1280, height: 900 } }, hash);
      const section = tab.locator("section", { has: tab.locator(`[id="${hash.slice(1)}"]`) });
      await expect.poll(() => section.getByText(part, { exact: true }).first().isVisible()).toBe(true);
      expect((await tab.locator(`[id="${hash.slice(1)}"]`).boundingBox())!.y).toBeLessThan(900);
    }
  });

  it.each([true, false])(
    "Copy copies a call after the calls before it; secure origin: %s",
    async (isSecure) => {
      const tab = await visit({ viewport: { width: 390, height: 844 } }, "#createWhitelabel");
      await tab.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const clipboard = await tab.evaluateHandle(() => navigator.clipboard);
      if (!isSecure)
        await tab.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
      const call = tab.locator("#createWhitelabel .snippet").first();
      await call.getByRole("button").click();
      await expect.poll(() => tab.locator("#said").textContent()).toBe("Copied");
      const commands = (await call.locator("pre").allTextContents()).join("\n\n");
      expect(commands).toMatch(/^QUOTE_ID=.*\n\ncurl -X POST/s);
      expect(await clipboard.evaluate((kept) => kept.readText())).toBe(commands);
    },
  );

  it("a link to a schema expands the operation that contains it", async () => {
    const tab = await visit({ viewport: { width: 1280, height: 900 } }, "#schema-QuoteRequest");
    await expect.poll(() => tab.locator("#createQuote-curl").isVisible()).toBe(true);
  });

  it("the page is complete without its script", async () => {
    const tab = await visit({ javaScriptEnabled: false, viewport: { width: 375, height: 900 } });
    expect(await tab.locator("#createQuote").isVisible()).toBe(true);
    expect(await tab.locator("nav a").first().isVisible()).toBe(true);
    await tab.locator("#createQuote h3").click();
    expect(await tab.locator("#createQuote-curl").isVisible()).toBe(true);
    expect(await tab.locator("main button:visible").count()).toBe(0);
    await tab.goto(`${tab.url().split("#")[0]}#createWhitelabel`);
    for (const pre of await tab.locator("#createWhitelabel .snippet").first().locator("pre").all())
      expect(await pre.evaluate((shown) => shown.checkVisibility({ contentVisibilityAuto: true }))).toBe(
        true,
      );
  });

  it("the page scrolls to the fragment of its URL", async () => {
    const tab = await visit({ viewport: { width: 375, height: 900 } }, "#getBalances");
    const top = () => tab.evaluate(() => document.getElementById("getBalances")!.getBoundingClientRect().top);
    await expect.poll(top).toBeLessThan(60);
    expect(await top()).toBeGreaterThanOrEqual(0);
    const marked = () =>
      tab.locator("nav [aria-current]").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
    await expect.poll(marked).toEqual(["#getBalances"]);
    expect((await tab.getByText("Contents").boundingBox())!.y).toBeGreaterThanOrEqual(0);
  });

  it.each([
    [375, "/docs"],
    [1440, "/docs#createWebhook"],
    [1440, "/_sandbox/docs#createFault"],
  ])("a page %d px wide does not shift while it loads: %s", async (width, path) => {
    const sandbox = await openSandbox();
    const { url } = await sandbox.listen({ port: 0 });
    const tab = await (await openWindow({ viewport: { width, height: 900 } })).newPage();
    const session = await tab.context().newCDPSession(tab);
    // Slow enough for a paint before the page is complete.
    const conditions = { offline: false, latency: 0, downloadThroughput: 400_000, uploadThroughput: -1 };
    await session.send("Network.emulateNetworkConditions", conditions);
    await tab.addInitScript(() => {
      const shifts: number[] = [];
      Object.assign(window, { shifts });
      new PerformanceObserver((list) => {
        for (const shift of list.getEntries()) shifts.push((shift as unknown as { value: number }).value);
      }).observe({ type: "layout-shift", buffered: true });
    });
    await tab.goto(url + path);
    await tab.evaluate(async () => {
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    });
    const shifts = await tab.evaluate("shifts");
    expect((shifts as number[]).filter((shift) => shift > 0.01)).toEqual([]);
  });

  // One scheme is enough: the same code generates both references.
  it("the page links to the control API's reference and back", async () => {
    const width = 375;
    const tab = await visit({ colorScheme: "dark", viewport: { width, height: 900 } });
    await tab.getByRole("link", { name: "Control API reference" }).click();
    await tab.waitForURL("**/_sandbox/docs");
    // One schema of each kind is enough to look at.
    await tab.evaluate(() => {
      for (const part of [...document.querySelectorAll("details")].slice(0, 20)) part.open = true;
    });
    expect(await impairmentFaults(tab)).toEqual([]);
    expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await tab.getByRole("link", { name: "Payments API reference" }).click();
    await tab.waitForURL((to) => to.pathname === "/docs");
  });
});

it("examples name the server whose port begins with the default one", async () => {
  const sandbox = await openSandbox();
  const response = await sandbox.fetch(new Request("http://127.0.0.1:44027/docs"));
  const ports = new Set((await response.text()).match(/(?<=127\.0\.0\.1:)\d+/g));
  expect([...ports]).toEqual(["44027"]);
});
