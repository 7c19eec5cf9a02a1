import { expect } from "vitest";
import { errorOf, openApi } from "../support/api-client.js";
import { it } from "../support/api-test.js";

const FULL =
  "The sandbox has no room for more: its namespaces may take 3 MB together. Reset or delete one, or raise Node's --max-old-space-size or limits.bytes.";

const openSmall = () => openApi({ limits: { bytes: 3_000_000 } });
type Api = Awaited<ReturnType<typeof openApi>>;
const sendEvent = (api: Api, chars: number) =>
  api.post("/_sandbox/events", { type: "charge.completed", data: { text: "x".repeat(chars) }, force: true });

/** Registers a mailbox that nobody reads, so that no event's delivery ends. */
const neverRead = (api: Api) => api.post("/_sandbox/webhook-endpoints", { mailbox: "unread", events: ["*"] });

it("a sandbox with undelivered events of limits.bytes returns 507 until a reset", async () => {
  const api = await openSmall();
  await neverRead(api);
  const statuses: number[] = [];
  for (let n = 0; n < 5; n++) statuses.push((await sendEvent(api, 900_000)).status);
  expect(statuses).toEqual([200, 200, 200, 507, 507]);
  const refused = await sendEvent(api, 900_000);
  expect([refused.status, errorOf(refused.text)]).toEqual([507, { code: "LIMIT_REACHED", message: FULL }]);
  // Calls that need no more memory still work.
  expect((await api.get("/_sandbox/events")).body).toMatchObject({ total: 3 });
  expect((await api.post("/_sandbox/reset", {})).status).toBe(200);
  expect((await sendEvent(api, 900_000)).status).toBe(200);
});

it("namespaces share limits.bytes, and a deleted one gives its bytes back", async () => {
  const api = await openSmall();
  await neverRead(api);
  await api.post("/_sandbox/namespaces", { name: "other" });
  const inOther = async () => {
    const init = { type: "charge.completed", data: { text: "x".repeat(900_000) }, force: true };
    const headers = { "sandbox-namespace": "other", "content-type": "application/json" };
    return (await api.send("POST", "/_sandbox/events", JSON.stringify(init), headers)).status;
  };
  await api.send(
    "POST",
    "/_sandbox/webhook-endpoints",
    JSON.stringify({ mailbox: "unread", events: ["*"] }),
    { "sandbox-namespace": "other", "content-type": "application/json" },
  );
  expect([await inOther(), await inOther()]).toEqual([200, 200]);
  expect([(await sendEvent(api, 900_000)).status, (await sendEvent(api, 900_000)).status]).toEqual([
    200, 507,
  ]);
  expect((await api.send("DELETE", "/_sandbox/namespaces/other")).status).toBe(200);
  expect((await sendEvent(api, 900_000)).status).toBe(200);
});

it("snapshots in memory count towards limits.bytes until they are deleted", async () => {
  const api = await openSmall();
  await neverRead(api);
  await sendEvent(api, 900_000);
  const save = async (name: string) => (await api.post("/_sandbox/snapshots", { name })).status;
  expect([await save("one"), await save("two"), await save("one"), await save("three")]).toEqual([
    200, 200, 200, 507,
  ]);
  await api.send("DELETE", "/_sandbox/snapshots/one");
  expect(await save("three")).toBe(200);
});

it("the request log makes room while the sandbox is full", async () => {
  const api = await openSmall();
  await neverRead(api);
  for (let n = 0; n < 3; n++) await sendEvent(api, 900_000);
  // The log keeps 64 kB of each body.
  for (let n = 0; n < 20; n++) await api.post("/api/v1/payments/quotes", { note: "x".repeat(100_000) });
  const { total } = (await api.get<{ total: number }>("/_sandbox/requests")).body;
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThan(10);
});

it("limits.bytes and retention.bytes must be at least 1 MB", async () => {
  await expect(openApi({ limits: { bytes: 1_000 } })).rejects.toThrow("limits.bytes");
  await expect(openApi({ retention: { bytes: 1_000 } })).rejects.toThrow("retention.bytes");
});
