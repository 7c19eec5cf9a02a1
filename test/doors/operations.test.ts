import { beforeAll, describe, expect, it } from "vitest";
import { IN_PROCESS_FETCH } from "../../src/core/client/control-client.js";
import type { HttpResponse } from "../../src/core/schema/http-response.js";
import { overPort } from "../support/caller.js";
import { control } from "../support/openapi-control.js";
import {
  type Furnished,
  furnish,
  type GoodCall,
  goodCalls,
  LEASE_HEADERS,
  pathInput,
} from "./support/good-input.js";
import { ROWS, type Row } from "./support/rows.js";

type Door = (path: string, init: RequestInit) => Promise<HttpResponse>;

const DOORS: Readonly<Record<string, (world: Furnished) => Promise<Door>>> = {
  "by id": async ({ api }) => api.transport,
  request: async ({ api }) => api.transport,
  port: async ({ api }) => overPort((await api.sandbox.listen({ port: 0 })).url),
  "in process":
    async ({ api }) =>
    (path, init) =>
      api.sandbox[IN_PROCESS_FETCH](path, init),
};

/** Sends a call and checks for a documented 200. */
async function send(door: Door, row: Row, { method, path, body, headers }: GoodCall): Promise<string> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await door(path, { method, headers, ...json });
  const text = await response.text();
  expect([response.status, text]).toEqual([200, text]);
  // The test setup checks responses of the service.
  if (!row.isService)
    expect(control.faults(method, path, 200, response.headers as Headers, text)).toEqual([]);
  // An export has one record per line.
  return withoutWallTime(row, JSON.parse(text));
}

/** Runs a control operation through the library. */
async function runById(world: Furnished, row: Row, call: GoodCall): Promise<string> {
  if (row.isService || /^getHealth$|Lease$/.test(row.id)) return send(world.api.transport, row, call);
  const input = { ...pathInput(row, world), ...call.body };
  return withoutWallTime(row, await world.api.sandbox.run(row.id as "getClock", input));
}

/** Removes wall times, the advice that depends on them, and the host. */
function withoutWallTime({ id }: Row, json: object): string {
  const advice = id === "getAdvice" ? (json as { items: { id: string }[] }).items : undefined;
  return JSON.stringify(advice?.filter((one) => one.id !== "webhook_responses") ?? json)
    .replace(/"(wall_ms|duration_ms|p50_ms|p95_ms|sent_at|started_at)":("[^"]*"|\d+)/g, '"$1":0')
    .replace(/\b\d{10}\b|\b\d+ ms\b|v1,[\w+/=]{44}/g, "")
    .replace(/http:\/\/(127\.0\.0\.1:\d+|sandbox)(?=\/checkout)/g, "");
}

interface Opened {
  readonly world: Furnished;
  readonly door: Door;
}

async function openDoor(name: string): Promise<Opened> {
  const world = await furnish();
  return { world, door: await DOORS[name]!(world) };
}

/** Reads change nothing, so they share one sandbox. */
const openForReads: Record<string, Opened> = {};
beforeAll(async () => {
  for (const name of Object.keys(DOORS)) openForReads[name] = await openDoor(name);
});

describe.each(ROWS)("$name", (row) => {
  it("each operation returns the same response over HTTP and in process [R1.7]", async () => {
    const responses: Record<string, string[]> = {};
    for (const name of Object.keys(DOORS)) {
      const sent: string[] = [];
      for (const index of (row.body?.examples ?? [{}]).keys()) {
        const { world, door } = row.method === "GET" ? openForReads[name]! : await openDoor(name);
        if (row.id === "releaseLease") await world.api.post("/_sandbox/lease", {}, LEASE_HEADERS);
        const call = goodCalls(row, world)[index]!;
        sent.push(await (name === "by id" ? runById(world, row, call) : send(door, row, call)));
      }
      responses[name] = sent;
    }
    const [first, ...others] = Object.values(responses);
    for (const other of others) expect(other).toEqual(first);
  });
});
