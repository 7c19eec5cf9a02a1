import { expect, it } from "vitest";
import type { RecordPut } from "../../src/core/engine/records.js";
import type { State } from "../../src/core/engine/state.js";
import { START } from "../support/kept.js";
import { FakeWall, worldOn } from "../support/receiver-world.js";

const SIZES = [1_000, 50_000] as const;
const LARGE = ["charges", "events", "deliveries", "tasks"] as const;
const EMAIL = "rare@shop.test";

const LISTS = [
  "charges",
  "charges?status=COMPLETED&mode=test",
  `charges?customer_email=${EMAIL}`,
  `charges?metadata.order=7&status=COMPLETED&customer_email=${EMAIL}`,
  "withdrawals?status=PENDING",
  "events",
  "events?type=charge.*&mode=test",
  "events?charge_id=ID",
  "deliveries",
  "deliveries?status=pending&mode=test",
  "deliveries?failing=true",
  "deliveries?type=charge.*",
  "deliveries?charge_id=ID",
  "next",
  "next?id=ID",
] as const;

/** Adds copies of a charge with its events and tasks. */
function fill(state: State, chargeId: string, count: number): void {
  const charge = state.get("charges", chargeId)!;
  const [event] = state.eventsOf(chargeId);
  const [delivery] = state.deliveriesOf(event!.event_id);
  const [task] = state.tasksOf(chargeId);
  for (let copy = 1; copy <= count; copy++) {
    const id = `copy${copy}`;
    const seq = 1_000 + copy;
    const puts: RecordPut[] = [
      ["charges", id, { ...charge, charge_id: id, checkout_id: id, customer_email: `${id}@shop.test`, seq }],
      ["events", id, { ...event!, body: event!.body, event_id: id, object_id: id, seq }],
      [
        "deliveries",
        id,
        {
          ...delivery!,
          ...{ delivery_id: id, event_id: id, object_id: id, seq },
          status: copy % 2 === 0 ? "succeeded" : "pending",
        },
      ],
      ["tasks", seq, { ...task!, task_id: seq, ref: id }],
    ];
    state.apply({ seq: state.seq + 1, at: state.at, puts, counters: {} });
  }
}

/** Counts reads of the large collections, and forbids full scans. */
function counted(state: State): { reads: number } {
  const counter = { reads: 0 };
  for (const name of LARGE) {
    const table: Map<unknown, unknown> = state.tables[name];
    const { get } = table;
    table.get = (key) => {
      counter.reads++;
      return get.call(table, key);
    };
    const scan = () => {
      throw new Error(`all ${name} were gone through`);
    };
    Object.assign(table, { values: scan, keys: scan, entries: scan, forEach: scan, [Symbol.iterator]: scan });
  }
  return counter;
}

/** Returns how many records each list reads, and its total. */
async function costs(size: number) {
  const { client, world } = await worldOn(new FakeWall(START), { clockText: "manual" });
  await client.ask("POST /_sandbox/webhook-endpoints", { mailbox: "tests" });
  const id = await client.pay({ email: EMAIL, metadata: { order: "7" } });
  await client.transition(id, "COMPLETED");
  const { state } = world.engine;
  fill(state, id, size);
  // Copies of a record need not look as documented, so these calls are not checked.
  const get = (path: string) => client.transport(`/_sandbox/${path.replace("ID", id)}`, {});
  const totals = async () => {
    const found: Record<string, number> = {};
    for (const list of LISTS) {
      const response = await get(list);
      expect([list, response.status]).toEqual([list, 200]);
      found[list] = ((await response.json()) as { total: number }).total;
    }
    return found;
  };
  // Rarely used groups are built at the first request.
  const before = await totals();
  const counter = counted(state);
  const reads: Record<string, number> = {};
  for (const list of LISTS)
    for (const page of ["limit=20", "limit=20&offset=400"]) {
      counter.reads = 0;
      const mark = list.includes("?") ? "&" : "?";
      await get(`${list}${mark}${page}`);
      reads[`${list} ${page}`] = counter.reads;
    }
  return { totals: before, reads };
}

it("a list reads as many records as its page, not its total", async () => {
  const [small, large] = [await costs(SIZES[0]), await costs(SIZES[1])];
  expect(small.totals).toMatchObject({
    charges: SIZES[0] + 1,
    "charges?status=COMPLETED&mode=test": SIZES[0] + 1,
    [LISTS[2]]: 1,
    [LISTS[3]]: 1,
    "deliveries?status=pending&mode=test": SIZES[0] / 2 + 1,
    "deliveries?failing=true": 0,
    "deliveries?charge_id=ID": 1,
  });
  expect(large.totals["deliveries?status=pending&mode=test"]).toBe(SIZES[1] / 2 + 1);
  for (const [list, reads] of Object.entries(large.reads))
    expect([list, Math.abs(reads - small.reads[list]!) <= 20]).toEqual([list, true]);
});
