import { expect, it } from "vitest";
import { IN_PROCESS_FETCH } from "../../src/core/client/control-client.js";
import type { HttpResponse } from "../../src/core/schema/http-response.js";
import { openSandbox } from "../support/api-client.js";

const CALLS: readonly (readonly [string, string, object?, Record<string, string>?])[] = [
  ["GET", "/_sandbox/requests?nope=1"],
  ["PUT", "/_sandbox/scenarios/a%20name%2F1", { name: "a name/1", webhooks: [{ copies: 2 }] }],
  ["GET", "/_sandbox/scenarios/none"],
  ["POST", "/_sandbox/clock/advance", { by: "soon" }],
  ["GET", "/_sandbox/clock", undefined, { "sandbox-namespace": "nobody" }],
  ["DELETE", "/_sandbox/clock"],
  ["GET", "/_sandbox/nothing"],
];

it("the control API returns the same responses in process and over HTTP", async () => {
  const [here, there] = await Promise.all([openSandbox({ seed: "same" }), openSandbox({ seed: "same" })]);
  for (const [method, path, body, headers = {}] of CALLS) {
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const [one, other] = await Promise.all([here[IN_PROCESS_FETCH](path, init), there.fetch(path, init)]);
    expect(await answered(one), `${method} ${path}`).toEqual(await answered(other));
  }
});

async function answered(answer: HttpResponse) {
  const { status, ok, headers } = answer;
  return {
    status,
    ok,
    headers: Object.fromEntries(headers),
    text: (await answer.text()).replace(/"wall_ms":\d+/, ""),
  };
}

it("a wait in process ends when its caller aborts it", async () => {
  const sandbox = await openSandbox();
  const gone = new AbortController();
  const body = JSON.stringify({ for: "charge", timeout: "10m" });
  const waiting = sandbox[IN_PROCESS_FETCH]("/_sandbox/wait", { method: "POST", body, signal: gone.signal });
  gone.abort();
  expect((await waiting).status).toBe(408);
});
