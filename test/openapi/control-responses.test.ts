import { expect, it } from "vitest";
import { STREAM_SCHEMAS } from "../../src/core/schema/control-responses.js";
import { schemaNameOf } from "../../src/server/openapi/schemas.js";
import { expectError, openSandbox, START } from "../support/api-client.js";
import { control } from "../support/openapi-control.js";
import { openShop } from "../support/receiver-client.js";
import { accept, hold, Receiver } from "../support/receiver-server.js";

// Every client of the tests checks the responses that it gets (support/caller.ts).

it("a call that would move time during an advance returns 409 CLOCK_BUSY", async () => {
  await using receiver = await Receiver.open(hold);
  const { sandbox, client } = await openShop({ scenario: "instant", webhooks: [receiver.url] });
  const { json: dump } = await client.ask("GET /_sandbox/state");
  await client.ask("POST /_sandbox/snapshots", { name: "before" });
  await client.pay();
  const advancing = sandbox.advance("1m");
  await receiver.arrived(1);
  const busy: [string, unknown][] = [
    ["POST /_sandbox/clock/advance", { by: "1s" }],
    ["POST /_sandbox/clock/advance", { until: "idle" }],
    ["PUT /_sandbox/clock", { mode: "real" }],
    ["POST /_sandbox/snapshots/before/restore", undefined],
    ["PUT /_sandbox/state", dump],
    ["POST /_sandbox/reset", undefined],
  ];
  for (const [line, body] of busy)
    for (const query of ["", "?wait=1ms"])
      expectError(await client.ask(`${line}${query}`, body), 409, "CLOCK_BUSY");
  receiver.handler = accept;
  for (const one of receiver.received) one.answer();
  await advancing;
});

it("each message of the live stream matches its schema", async () => {
  await using receiver = await Receiver.open();
  const { sandbox, client } = await openShop({ scenario: "instant", webhooks: [receiver.url] });
  const { url } = await sandbox.listen({ port: 0 });
  const response = await fetch(`${url}/_sandbox/stream`);
  const messages: [string, unknown][] = [];
  const reading = (async () => {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
      rest = parts.pop()!;
      for (const part of parts) {
        const [event, data] = part.split("\n");
        messages.push([event!.replace("event: ", ""), JSON.parse(data!.replace("data: ", ""))]);
      }
      if (messages.some(([, data]) => (data as { status?: string }).status === "delivered")) return;
    }
  })();
  await client.pay();
  await client.setClock({ mode: "60x" });
  await reading;
  expect(control.faults("GET", "/_sandbox/stream", response.status, response.headers, "")).toEqual([]);
  expect(new Set(messages.map(([event]) => event))).toEqual(
    new Set(Object.keys(STREAM_SCHEMAS).filter((name) => !["missed", "news"].includes(name))),
  );
  for (const [event, data] of messages)
    expect(control.schemaFaults(schemaNameOf(STREAM_SCHEMAS[event as "hello"]), data), event).toEqual([]);
});

it("a redirect has the header with the sandbox time", async () => {
  const sandbox = await openSandbox({ host: "0.0.0.0", controlToken: "let-me-in" });
  const { port } = await sandbox.listen({ port: 0 });
  const led = async (path: string) => {
    const headers = { accept: "text/html" };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: "manual", headers });
    return [answer.status, answer.headers.get("location"), answer.headers.get("sandbox-now")];
  };
  expect(await led("/")).toEqual([302, "_sandbox/dashboard", START]);
  expect(await led("/_sandbox/dashboard?token=let-me-in")).toEqual([303, "../_sandbox/dashboard", START]);
});

const headers = new Headers({
  "content-type": "application/json",
  "sandbox-now": START,
  "x-content-type-options": "nosniff",
});
const clock = { mode: "manual", speed: 1, now: START, next_due: null, advancing: false };
const faults = (body: object, status = 200) =>
  control.faults("GET", "/_sandbox/clock", status, headers, JSON.stringify(body));

it("the response check accepts a documented response", () => expect(faults(clock)).toEqual([]));

it.each([
  ["an undocumented field", { ...clock, wall: START }],
  ["a missing field", { ...clock, now: undefined }],
  ["an invalid time", { ...clock, now: "soon" }],
  ["an unknown mode", { ...clock, mode: "scaled" }],
])("the response check finds %s", (_what, body) => expect(faults(body)).not.toEqual([]));

it("the response check finds an undocumented status, code, header and call", () => {
  expect(faults({}, 418)).toEqual(["the document has no answer 418 of getClock"]);
  expect(faults({ error: { code: "NOT_FOUND", message: "m" } }, 404)).toEqual([]);
  expect(faults({ error: { code: "CLOCK_BUSY", message: "m" } }, 404)).not.toEqual([]);
  expect(faults({ error: { code: "NOT_FOUND", message: "m", hint: "h" } }, 404)).not.toEqual([]);
  const bare = new Headers({ "content-type": "application/json" });
  expect(control.faults("GET", "/_sandbox/clock", 200, bare, JSON.stringify(clock))).toEqual([
    "getClock 200: there is no header Sandbox-Now",
    "getClock 200: there is no header X-Content-Type-Options",
  ]);
  expect(control.faults("GET", "/_sandbox/nothing", 200, headers, "{}")).toEqual([
    "the document has no GET /_sandbox/nothing",
  ]);
});

it("the response check finds an undocumented field in a list or union", () => {
  const list = (item: object) => ({ total: 1, items: [item] });
  expect(control.schemaFaults("SnapshotList", list({ name: "a", at: START }))).toEqual([]);
  expect(control.schemaFaults("SnapshotList", list({ name: "a", at: START, size: 1 }))).not.toEqual([]);
  expect(control.schemaFaults("WaitResult", { idle: true, now: START })).toEqual([]);
  expect(control.schemaFaults("WaitResult", { idle: true, now: START, for: "idle" })).not.toEqual([]);
  const note = { kind: "note", at: START, note: "n" };
  expect(control.schemaFaults("Happening", note)).toEqual([]);
  expect(control.schemaFaults("Happening", { ...note, by: "me" })).not.toEqual([]);
});
