import { expect, it } from "vitest";
import { errorOf, openApi } from "../support/api-client.js";

const FULL = "is one too many: a namespace has at most 500 webhook endpoints; delete one first";

it("a namespace refuses its 501st endpoint, and updates one that it has", async () => {
  const api = await openApi({
    webhooks: Array.from({ length: 500 }, (_, index) => ({ url: `http://127.0.0.1:9/${index}` })),
  });
  const addAt = (path: string, body: object) => api.post(path, body);
  const refused = [
    await addAt("/api/v1/webhooks", { url: "http://127.0.0.1:9/500" }),
    await addAt("/_sandbox/webhook-endpoints", { url: "http://127.0.0.1:9/500" }),
  ];
  for (const { status, text } of refused)
    expect([status, errorOf(text)]).toMatchObject([
      400,
      { code: "VALIDATION_ERROR", details: { url: FULL } },
    ]);
  expect(errorOf((await addAt("/_sandbox/webhook-endpoints", { mailbox: "box" })).text)).toMatchObject({
    details: { mailbox: FULL },
  });
  expect((await addAt("/_sandbox/webhook-endpoints", { url: "http://127.0.0.1:9/1" })).status).toBe(200);
});

it("a sandbox refuses the option webhooks with 501 entries", async () => {
  const webhooks = Array.from({ length: 501 }, (_, index) => ({ url: `http://127.0.0.1:9/${index}` }));
  await expect(openApi({ webhooks })).rejects.toThrow("webhooks must have at most 500 entries");
});
