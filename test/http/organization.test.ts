import { expect, it } from "vitest";
import { expectError, okBody, openApi, START } from "../support/api-client.js";

const PATH = "/api/v1/organizations/me";

it("the record has exactly the documented fields [R14.1 R14.2 R25.7]", async () => {
  expect(okBody(await (await openApi()).get(PATH))).toEqual({
    organization_id: "org_sandbox",
    name: expect.stringMatching(/./),
    country: "NG",
    status: "active",
    verified: true,
    enabled_payment_methods: ["bank_transfer", "mobile_money", "card", "crypto"],
    created_at: START,
  });
});

it.each([
  ["sk_live_sandbox", { organization_id: "org_sandbox", country: "NG", verified: true }],
  ["sk_test_readonly", { organization_id: "org_sandbox", country: "NG", verified: true }],
  ["sk_test_other", { organization_id: "org_other", country: "KE", status: "active" }],
  [
    "sk_test_unverified",
    { verified: false, status: "active", enabled_payment_methods: ["bank_transfer", "mobile_money"] },
  ],
])("the holder of %s reads its own organization [R14.1]", async (key, record) => {
  expect(okBody(await (await openApi()).as(key).get(PATH))).toMatchObject(record);
});

it("an organization that is deactivated is not found", async () => {
  const answer = await (await openApi()).as("sk_test_deactivated").get(PATH);
  expectError(answer, 404, "NOT_FOUND", []);
  expect(answer.error.message).toBe("Organization not found");
});

it("nothing but me is under organizations", async () => {
  expectError(await (await openApi()).get("/api/v1/organizations/org_sandbox"), 404, "NOT_FOUND");
});
