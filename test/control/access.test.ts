import { expect } from "vitest";
import { type Api, expectError, expectInvalid, okBody } from "../support/api-client.js";
import { it } from "../support/api-test.js";

const BALANCES = "/api/v1/accounts/balances";
const KEY = "/_sandbox/keys/sk_test_sandbox";
const ORGANIZATION = "/_sandbox/organizations/org_sandbox";

const patch = (api: Api, path: string, body: object) =>
  api.send("PATCH", path, JSON.stringify(body), { "content-type": "application/json" });

interface Shown {
  readonly keys: readonly { readonly key: string; readonly status: string; readonly permission: string }[];
}

it("PATCH /_sandbox/keys/{key} deactivates and activates a key", async ({ api }) => {
  expect(okBody(await patch(api, KEY, { status: "revoked" }))).toEqual({
    key: "sk_test_sandbox",
    organization_id: "org_sandbox",
    permission: "full",
    status: "revoked",
  });
  expectError(await api.get(BALANCES), 401, "UNAUTHORIZED", []);
  expectError(await api.get("/api/v1/payments/payment-methods"), 401, "UNAUTHORIZED", []);
  okBody(await api.as("sk_live_sandbox").get(BALANCES));
  const { keys } = okBody(await api.get<Shown>("/_sandbox"));
  expect(keys.filter(({ status }) => status === "revoked").map(({ key }) => key)).toEqual([
    "sk_test_sandbox",
  ]);
  okBody(await patch(api, KEY, { status: "active" }));
  okBody(await api.get(BALANCES));
});

it("PATCH /_sandbox/keys/{key} changes the permission of a key", async ({ api }) => {
  const body = await api.checkoutBody();
  okBody(await patch(api, KEY, { permission: "read_only" }));
  expectError(await api.tryWhitelabel(body), 403, "FORBIDDEN", []);
  okBody(await api.get(BALANCES));
});

it("PATCH /_sandbox/keys/{key} survives a reset that keeps keys", async ({ api }) => {
  const readOnly = "sk_test_other";
  okBody(await patch(api, KEY, { status: "revoked" }));
  okBody(await patch(api, `/_sandbox/keys/${readOnly}`, { permission: "read_only" }));
  const changed = async (body: object) => {
    okBody(await api.post("/_sandbox/reset", body));
    const { keys } = okBody(await api.get<Shown>("/_sandbox"));
    return keys.filter(
      ({ key, status, permission }) =>
        status === "revoked" || (key === readOnly && permission === "read_only"),
    ).length;
  };
  expect(await changed({})).toBe(2);
  expect(await changed({ keep: ["keys"] })).toBe(2);
  expectError(await api.get(BALANCES), 401, "UNAUTHORIZED", []);
  expect(await changed({ keep: ["webhooks"] })).toBe(0);
  okBody(await api.get(BALANCES));
});

it("PATCH /_sandbox/keys/{key} changes the key in one namespace only", async ({ api }) => {
  okBody(await api.post("/_sandbox/namespaces", { name: "other" }));
  okBody(await patch(api, KEY, { status: "revoked" }));
  okBody(await api.get(BALANCES, { "sandbox-namespace": "other" }));
  okBody(await api.post("/_sandbox/snapshots", { name: "revoked" }));
  okBody(await patch(api, KEY, { status: "active" }));
  okBody(await api.post("/_sandbox/snapshots/revoked/restore", {}));
  expectError(await api.get(BALANCES), 401, "UNAUTHORIZED", []);
});

it("PATCH /_sandbox/keys/{key} changes the keys of a namespace", async ({ api }) => {
  okBody(await api.post("/_sandbox/namespaces", { name: "other" }));
  const there = { "sandbox-namespace": "other", "content-type": "application/json" };
  const path = "/_sandbox/keys/sk_test_ns_other";
  okBody(await api.send("PATCH", path, '{"status":"revoked"}', there));
  expectError(await api.as("sk_test_ns_other").get(BALANCES), 401, "UNAUTHORIZED", []);
  expectError(await patch(api, path, { status: "revoked" }), 404, "NOT_FOUND", []);
});

it("PATCH /_sandbox/organizations/{id} deactivates all keys of an organization", async ({ api }) => {
  const { charge_id } = await api.whitelabel(await api.checkoutBody());
  expect(okBody(await patch(api, ORGANIZATION, { status: "deactivated" }))).toMatchObject({
    organization_id: "org_sandbox",
    status: "deactivated",
  });
  for (const key of ["sk_test_sandbox", "sk_live_sandbox"])
    expectError(await api.as(key).get(BALANCES), 404, "NOT_FOUND", []);
  okBody(await api.as("sk_test_other").get(BALANCES));
  await api.sandbox.advance("10s");
  okBody(await patch(api, ORGANIZATION, { status: "active" }));
  const charge = okBody(await api.get<{ status: string }>(`/api/v1/payments/charges/${charge_id}`));
  expect(charge.status).toBe("COMPLETED");
});

it("PATCH /_sandbox/organizations/{id} changes the organization's methods and profile", async ({ api }) => {
  okBody(await patch(api, ORGANIZATION, { enabled_payment_methods: ["card"], verified: false }));
  expect(okBody(await api.get("/api/v1/organizations/me"))).toMatchObject({
    enabled_payment_methods: ["card"],
    verified: false,
  });
  const pricing = { base_currency: "KES", amount: "500.00" };
  const quote = (payment_method: string) => api.post("/api/v1/payments/quotes", { pricing, payment_method });
  okBody(await quote("card"));
  expectInvalid(await quote("mobile_money"), "payment_method");
});
