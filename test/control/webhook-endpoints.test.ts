import { expect } from "vitest";
import { expectError, expectInvalid, okBody } from "../support/api-client.js";
import { it } from "../support/api-test.js";

const PATH = "/_sandbox/webhook-endpoints";
interface Endpoint {
  webhook_id: string;
  url: string | null;
  health: object;
}

it("/_sandbox/webhook-endpoints can create, read, change and delete endpoints", async ({ api }) => {
  const made = okBody(await api.post<Endpoint>(PATH, { url: "localhost:9/hooks" }));
  expect(made).toMatchObject({
    url: "http://localhost:9/hooks",
    mailbox: null,
    mode: "test",
    events: ["*"],
    secret: api.sandbox.webhookSecret,
    enabled: true,
    organization_id: null,
  });
  const box = okBody(await api.post<Endpoint>(PATH, { mailbox: "box", events: ["charge.*"], mode: "live" }));
  const list = okBody(await api.get<{ total: number; items: Endpoint[] }>(PATH));
  expect(list).toMatchObject({
    total: 2,
    items: [{ webhook_id: box.webhook_id }, { webhook_id: made.webhook_id }],
  });
  expect((await api.get(`${PATH}/${box.webhook_id}`)).body).toEqual(box);
  const patched = await api.send("PATCH", `${PATH}/${made.webhook_id}`, JSON.stringify({ enabled: false }));
  expect(patched.body).toEqual({ ...made, enabled: false, health: { ...made.health, state: "off" } });
  expect((await api.send("DELETE", `${PATH}/${made.webhook_id}`)).body).toMatchObject({ deleted: true });
  expectError(await api.get(`${PATH}/${made.webhook_id}`), 404, "NOT_FOUND");
});

it("POST /_sandbox/webhook-endpoints updates the endpoint of a registered URL", async ({ api }) => {
  const made = okBody(await api.post<Endpoint>(PATH, { url: "http://localhost:9/a" }));
  const again = await api.post<Endpoint>(PATH, { url: "http://localhost:9/a", events: ["charge.failed"] });
  expect(again.body).toEqual({ ...made, events: ["charge.failed"] });
});

it("POST /_sandbox/webhook-endpoints keeps the secret of a registered URL", async ({ api }) => {
  const body = { url: "http://localhost:9/a", secret: "my-secret-hash", signature: "paystack" };
  const made = okBody(await api.post<Endpoint>(PATH, body));
  expect(okBody(await api.post<Endpoint>(PATH, { url: body.url }))).toEqual(made);
  expectInvalid(await api.post(PATH, { url: body.url, signature: "standard" }), "secret");
  const own = okBody(
    await api.post<Endpoint & { secret: string }>("/api/v1/webhooks", { url: "http://localhost:9/own" }),
  );
  const again = await api.post(PATH, { url: own.url, organization_id: "org_sandbox" });
  expect(again.body).toMatchObject({ webhook_id: own.webhook_id, secret: own.secret });
});

it("PATCH /_sandbox/webhook-endpoints refuses the URL of another endpoint", async ({ api }) => {
  const change = (id: string, body: object) => api.send("PATCH", `${PATH}/${id}`, JSON.stringify(body));
  const [one, two] = [
    okBody(await api.post<Endpoint>(PATH, { url: "http://localhost:9/a" })),
    okBody(await api.post<Endpoint>(PATH, { url: "http://localhost:9/b" })),
  ];
  const live = okBody(await api.post<Endpoint>(PATH, { url: "http://localhost:9/b", mode: "live" }));
  const refused = await change(two.webhook_id, { url: "LOCALHOST:9/a", enabled: false });
  expectInvalid(refused, "url");
  expect(refused.text).toContain(one.webhook_id);
  expect((await api.get(`${PATH}/${two.webhook_id}`)).body).toEqual(two);
  // An endpoint may keep its URL, or share one with the other mode.
  expect((await change(one.webhook_id, { url: "http://localhost:9/a" })).body).toEqual(one);
  expect((await change(live.webhook_id, { url: "http://localhost:9/a" })).status).toBe(200);
  okBody(await api.send("DELETE", `${PATH}/${one.webhook_id}`));
  expect((await change(two.webhook_id, { url: "http://localhost:9/a" })).body).toMatchObject({
    webhook_id: two.webhook_id,
    url: "http://localhost:9/a",
  });
});

it("PATCH /_sandbox/webhook-endpoints refuses to change a mailbox to a URL", async ({ api }) => {
  const box = okBody(await api.post<Endpoint>(PATH, { mailbox: "box" }));
  const both = await api.send("PATCH", `${PATH}/${box.webhook_id}`, '{"url":"http://localhost:9"}');
  expectInvalid(both, "url");
});
