import * as http from "node:http";
import { afterEach, expect, it } from "vitest";
import { Api, openSandbox } from "../support/api-client.js";
import { everyNameIs, namesAreAsEver } from "../support/names.js";
import { expectPassed, failed, fileWith, runSteps } from "../support/scenario-run.js";
import { listening } from "../support/servers.js";

afterEach(namesAreAsEver);

/** Opens an app that records its requests. */
async function openApp(listener: http.RequestListener) {
  const requests: { method: string; url: string; headers: http.IncomingHttpHeaders; body: string }[] = [];
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    requests.push({ method: request.method!, url: request.url!, headers: request.headers, body });
    listener(request, response);
  });
  const port = await listening(server);
  return { url: `http://127.0.0.1:${port}`, port, requests };
}

it("an app step sends a request to the app", async () => {
  const app = await openApp((_request, response) =>
    response
      .writeHead(201, [
        ["content-type", "application/json"],
        ["set-cookie", "a=1"],
        ["set-cookie", "b=2"],
        ["x-order", "17"],
      ])
      .end('{"order": {"id": "o_17"}}'),
  );
  await expectPassed(
    `
  - app: POST /orders?from=test
    headers: { X-Tester: ada }
    body: { email: ada@shop.test }
    expect: { status: 201, body: { order: { id: o_17 } }, headers: { x-order: "17" } }
    save: { order: body.order.id }
  - { app: "GET /orders/\${order}", expect: { status: 2xx } }`,
    { app: app.url },
  );
  expect(app.requests).toMatchObject([
    {
      method: "POST",
      url: "/orders?from=test",
      headers: { "x-tester": "ada", "content-type": "application/json" },
      body: '{"email":"ada@shop.test"}',
    },
    { method: "GET", url: "/orders/o_17", body: "" },
  ]);
});

it.each([204, 304, 302, 404, 599])(
  "an app step accepts status %d without following a redirect",
  async (status) => {
    const app = await openApp((_request, response) =>
      response.writeHead(status, { location: "/there" }).end(),
    );
    await expectPassed(`  - { app: GET /, expect: { status: ${status} } }`, { app: app.url });
    expect(app.requests).toHaveLength(1);
  },
);

it("`dropped` passes only when the connection is cut", async () => {
  const app = await openApp((request) => request.socket.destroy());
  const cut = "  - { app: GET /, expect: { dropped: true } }\n  - app: GET /";
  const report = await runSteps(cut, { app: app.url });
  expect(report.steps.map(({ outcome }) => outcome)).toEqual(["passed", "failed"]);
});

it.each([
  [
    "the port has no listener",
    "http://127.0.0.1:1",
    "",
    /^the app did not respond at http:\/\/127\.0\.0\.1:1\/: nothing listens there$/,
  ],
  ["the call cannot be sent", undefined, 'headers: { "no name": x }, ', /no name/],
])("`dropped` fails when %s", async (_, nobody, more, message) => {
  const app = await openApp((_request, response) => response.end());
  const report = await runSteps(`  - { app: GET /, ${more}expect: { dropped: true } }`, {
    app: nobody ?? app.url,
  });
  expect(failed(report)?.failure?.message).toMatch(message);
});

it("`tries` repeats the call until the response matches `expect`", async () => {
  let calls = 0;
  const app = await openApp((_request, response) => response.writeHead(++calls % 3 === 0 ? 200 : 503).end());
  const step = (tries: number) => runSteps(`  - { app: POST /orders, tries: ${tries} }`, { app: app.url });
  expect(failed(await step(3))).toBeUndefined();
  expect(failed(await step(2))?.failure?.message).toBe("status 503, not 2xx");
  expect(calls).toBe(5);
});

it("`steady` repeats the call until the response stops changing", async () => {
  const said = ["new", "new", "paid", "paid"];
  const app = await openApp((_request, response) =>
    response.setHeader("content-type", "application/json").end(JSON.stringify(said.shift() ?? "paid")),
  );
  const step = (more: string) => runSteps(`  - { app: GET /, steady: 300ms${more} }`, { app: app.url });
  expect(failed(await step(", expect: { body: paid }"))).toBeUndefined();
  expect(app.requests).toHaveLength(3);
  expect(failed(await step(", expect: { body: sold }"))?.failure?.got).toMatchObject({ body: "paid" });
  said.push("new");
  expect(failed(await step(", save: { last: body }"))).toBeUndefined();
  expect(said).toEqual([]);
});

it("resolves the host name of the app", async () => {
  const app = await openApp((_request, response) => response.end("here"));
  everyNameIs("127.0.0.1");
  await expectPassed("  - { app: GET /, expect: { body: here } }", { app: `http://shop.test:${app.port}` });
  expect(app.requests[0]?.headers.host).toBe(`shop.test:${app.port}`);
});

it.each(["169.254.169.254", "192.0.0.192", "fd00:ec2::23", "64:ff9b:1::a9fe:a9fe"])(
  "refuses an app whose host name resolves to a cloud's metadata service: %s",
  async (address) => {
    everyNameIs(address);
    const sandbox = await openSandbox({
      scenario: fileWith("name: flow\nsteps:\n  - app: GET /latest/meta-data/"),
    });
    const answer = await new Api(sandbox).post("/_sandbox/scenarios/flow/run", { app: "http://meta.test" });
    expect(answer.status).toBe(200);
    const { outcome, steps } = answer.json;
    expect(outcome).toBe("failed");
    expect(steps[0].failure.message).toBe(
      `the app did not respond at http://meta.test/latest/meta-data/: meta.test is ${address}, a cloud's metadata address`,
    );
  },
);
