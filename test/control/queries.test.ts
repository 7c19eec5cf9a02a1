import { expect } from "vitest";
import { expectInvalid, openApi } from "../support/api-client.js";
import { it } from "../support/api-test.js";

it("reports unknown query parameters together with other errors", async ({ api }) => {
  const answer = await api.get("/_sandbox/charges?stauts=FAILED&limit=0&colour=red");
  expectInvalid(answer, "stauts", "limit", "colour");
  expect(answer.details.stauts).toContain("did you mean status?");
  expect(answer.details.colour).toContain("customer_email");
});

it.each([
  ["charges?status=COMPLTED", "status", "COMPLETED"],
  ["withdrawals?status=PENDIN", "status", "PENDING"],
  ["deliveries?status=faild", "status", "failed"],
  ["deliveries?mode=tset", "mode", "test"],
])("suggests the right name for a mistyped parameter: %s", async (query, field, meant) => {
  const answer = await (await openApi()).get(`/_sandbox/${query}`);
  expectInvalid(answer, field);
  expect(answer.details[field]).toMatch(new RegExp(`^must be one of .+; did you mean ${meant}\\?$`));
});

it("accepts any metadata key as a filter", async ({ api }) => {
  expect((await api.get("/_sandbox/charges?metadata.order=1&metadata.=2")).status).toBe(200);
  expectInvalid(await api.get("/_sandbox/charges?metadata=1"), "metadata");
  expectInvalid(await api.get("/_sandbox/events?metadata.order=1"), "metadata.order");
});

it("accepts `wait` with a duration", async ({ api }) => {
  expect((await api.post("/_sandbox/reset?wait=1s", {})).status).toBe(200);
  const answer = await api.post("/_sandbox/reset?waitt=1s", {});
  expect(answer.details).toEqual({ waitt: "is not a known parameter; did you mean wait?" });
});
