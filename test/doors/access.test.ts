import { beforeAll, describe, expect, it } from "vitest";
import { type Answer, openSandbox } from "../support/api-client.js";
import { exchange, head } from "../support/api-wire.js";
import { control } from "../support/openapi-control.js";
import { type Furnished, fillPath, furnish, type GoodCall, goodCalls, NAME } from "./support/good-input.js";
import { checkForm, ROWS, type Row } from "./support/rows.js";

const SERVICE = ROWS.filter(({ isService }) => isService);
const CONTROL = ROWS.filter(({ isService }) => !isService);

let world: Furnished;
beforeAll(async () => {
  world = await furnish();
  await world.api.ask("PATCH /_sandbox/keys/sk_test_unverified", { status: "revoked" });
});

/** Sends the operation's first example with the key, or without one. */
async function sendWithKey(row: Row, key: string | null): Promise<Answer<unknown>> {
  const [{ method, path, body }] = goodCalls(row, world) as [GoodCall];
  return checkForm(await world.api.as(key).ask(`${method} ${path}`, body));
}

const stateText = () => JSON.stringify(world.api.sandbox.snapshot());

describe("an API key", () => {
  /** Checks the error of every operation, and that nothing changes. */
  async function expectForEach(key: string | null, expected: (row: Row) => string): Promise<void> {
    const before = stateText();
    for (const row of SERVICE) {
      const answer = await sendWithKey(row, key);
      const got = answer.status === 200 ? "200" : `${answer.status} ${answer.error.message}`;
      expect([row.id, got]).toEqual([row.id, expected(row)]);
    }
    expect(stateText()).toBe(before);
  }
  const INVALID = "401 Invalid API key";

  it("an operation without its required API key returns 401 [R20.1 R22.2 R23.2 R24.1 R25.7 R27.4 R27.5 R27.6]", () =>
    expectForEach(null, ({ needsKey }) => (needsKey ? INVALID : "200")));

  it.each(["sk_test_nobody", "sk_test_unverified"])(
    "an unknown or revoked API key returns 401 for every operation: %s [R29.3]",
    (key) => expectForEach(key, ({ takesKey }) => (takesKey ? INVALID : "200")),
  );

  it("a read-only API key returns 403 for each write [R27.5 R27.8 R29.4]", () =>
    expectForEach("sk_test_readonly", ({ method }) =>
      method === "GET" ? "200" : "403 This API key is read-only",
    ));

  it("the API key of a deactivated organization returns 404 [R20.1 R24.9 R29.5]", () =>
    expectForEach("sk_test_deactivated", ({ needsKey }) =>
      needsKey ? "404 Organization not found" : "200",
    ));

  it.each(SERVICE.filter(({ needsKey }) => needsKey))(
    "an API key cannot read a record of another mode or organization: $id",
    async (row) => {
      const before = stateText();
      const ownIds = Object.values(world.ids).filter((id) => /^[a-z]+_[0-9a-f]{24}$/.test(id));
      for (const key of ["sk_live_sandbox", "sk_test_other"]) {
        const answer = await sendWithKey(row, key);
        const idField = Object.keys(row.body?.examples[0] ?? {}).find((field) => field.endsWith("_id"));
        if (row.pathParameters.length > 0)
          expect([key, answer.status, answer.json.error.code]).toEqual([key, 404, "NOT_FOUND"]);
        else if (idField !== undefined)
          expect([key, answer.status, Object.keys(answer.details)]).toEqual([key, 400, [idField]]);
        else
          expect([key, answer.status, ownIds.filter((id) => answer.text.includes(id))]).toEqual([
            key,
            200,
            [],
          ]);
        if (answer.status !== 200) expect(stateText()).toBe(before);
      }
    },
  );
});

/** Sends a request with its own Host, which `fetch` cannot set. */
async function exchangeWith(
  port: number,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
) {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map((pair) => pair.join(": "));
  const {
    status,
    headers: got,
    body,
  } = (await exchange(port, head(`${method} ${path} HTTP/1.1`, ...lines)))!;
  if (path.startsWith("/_sandbox"))
    expect(control.faults(method, path, status, new Headers(got), body)).toEqual([]);
  return [status, JSON.parse(body).error?.code];
}

const isOfNamespace = ({ path }: Row) => path !== "/health";
const isWrite = ({ method }: Row) => method !== "GET";

/** Requests that the control API refuses, and the operations to test. */
const REFUSED: readonly (readonly [
  string,
  Readonly<Record<string, string>>,
  (row: Row) => boolean,
  number,
  string,
])[] = [
  ["to another host", { host: "evil.test" }, () => true, 403, "FORBIDDEN"],
  ["of another site, a write", { "sec-fetch-site": "cross-site" }, isWrite, 403, "FORBIDDEN"],
  ["of another subdomain, a write", { "sec-fetch-site": "same-site" }, isWrite, 403, "FORBIDDEN"],
  ["from another origin, a write", { origin: "http://evil.test" }, isWrite, 403, "FORBIDDEN"],
  ["from no origin, a write", { origin: "null" }, isWrite, 403, "FORBIDDEN"],
  [
    "of another site, a page load",
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
    isOfNamespace,
    403,
    "FORBIDDEN",
  ],
  ["in an unknown namespace", { "sandbox-namespace": "nowhere" }, isOfNamespace, 404, "NOT_FOUND"],
  ["with a body over the limit", { "content-length": String(2 ** 30) }, isWrite, 413, "PAYLOAD_TOO_LARGE"],
];

describe("a request of the control API", () => {
  let port: number;
  beforeAll(async () => {
    ({ port } = await world.api.sandbox.listen({ port: 0 }));
  });

  it.each(REFUSED)("every control operation refuses %s", async (_, headers, isAsked, status, code) => {
    for (const row of CONTROL.filter(isAsked)) {
      const answer = await exchangeWith(port, row.method, fillPath(row, world, "x"), headers);
      expect([row.id, ...answer]).toEqual([row.id, status, code]);
    }
  });

  it("refuses a request from another machine without the control token", async () => {
    const guarded = await openSandbox({ host: "0.0.0.0", controlToken: "let-me-in" });
    const { port } = await guarded.listen({ port: 0 });
    for (const row of CONTROL) {
      for (const headers of [{}, { "sandbox-control-token": "let-me-out" }])
        expect([
          row.id,
          ...(await exchangeWith(
            port,
            row.method,
            fillPath(row, world, "x"),
            headers as Record<string, string>,
          )),
        ]).toEqual(row.id === "getHealth" ? [row.id, 200, undefined] : [row.id, 403, "FORBIDDEN"]);
    }
    expect(await exchangeWith(port, "GET", "/_sandbox", { "sandbox-control-token": "let-me-in" })).toEqual([
      200,
      undefined,
    ]);
  });

  /** Operations that name a new or shared object, and so succeed in every namespace. */
  const IN_EACH = [
    "updateKey",
    "updateOrganization",
    "putScenario",
    "getFailedTest",
    "getNamespace",
    "putNamespace",
    "deleteNamespace",
  ];

  it.each(CONTROL.filter(({ id, pathParameters }) => pathParameters.length > 0 && !IN_EACH.includes(id)))(
    "the control API returns 404 for a record of another namespace: $id",
    async (row) => {
      const [{ method, path, body }] = goodCalls(row, world) as [GoodCall];
      const answer = await world.api.ask(`${method} ${path}`, body, { "sandbox-namespace": NAME });
      expect([answer.status, answer.error.message]).toEqual([404, expect.not.stringContaining("namespace")]);
    },
  );
});
