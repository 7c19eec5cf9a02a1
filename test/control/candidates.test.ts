import { expect, it } from "vitest";
import { findMismatches } from "../../src/core/domain/deep-match.js";
import type { RecordPut } from "../../src/core/engine/records.js";
import { State } from "../../src/core/engine/state.js";
import type { Namespace } from "../../src/core/namespace/namespace.js";
import { recordSourceOf } from "../../src/server/control/candidates.js";

const EMAILS = ["ada@shop.test", "bob@shop.test", "ada*"];
const ORDERS = ["1", "2", "*", "a\\b"];

/** Creates charges with every combination of email and order. */
function records() {
  const puts: RecordPut[] = [];
  let seq = 0;
  for (const customer_email of EMAILS)
    for (const order of ORDERS) {
      seq++;
      const ids = { charge_id: `ch_${seq}`, checkout_id: `co_${seq}` };
      const more = { mode: "test", organization_id: "org_1", status: "PENDING", seq };
      puts.push([
        "charges",
        ids.charge_id,
        { ...more, ...ids, customer_email, metadata: { order } } as never,
      ]);
      const event = {
        event_id: `evt_${seq}`,
        object_id: ids.charge_id,
        type: "charge.created",
        seq,
        body: "",
      };
      puts.push(["events", event.event_id, { ...more, ...event } as never]);
      const delivery = { delivery_id: `dlv_${seq}`, event_id: event.event_id, object_id: ids.charge_id };
      puts.push(["deliveries", delivery.delivery_id, { ...more, ...delivery, attempts: [] } as never]);
    }
  const state = new State();
  state.apply({ seq: 1, at: 0, puts, counters: {} });
  return { engine: { state } } as Namespace;
}

const ALL = EMAILS.length * ORDERS.length;

/** A request, how many records it reads, and how many match. */
const CHARGES: [Record<string, unknown>, number, number][] = [
  [{}, ALL, ALL],
  [{ charge_id: "ch_3" }, 1, 1],
  [{ charge_id: "ch_none" }, 0, 0],
  [{ charge_id: "ch_?" }, ALL, 9],
  [{ checkout_id: "co_3", charge_id: { not: "ch_3" } }, 1, 0],
  [{ customer_email: "ada@shop.test" }, 4, 4],
  [{ customer_email: "ada*" }, ALL, 8],
  [{ customer_email: "bob@shop.test", metadata: { order: "2" } }, 1, 1],
  [{ metadata: { order: "2", other: { exists: false } } }, 3, 3],
  [{ metadata: { order: "\\*" } }, ALL, 3],
  [{ metadata: { order: "a\\b" } }, ALL, 3],
  [{ metadata: { order: 2 } }, ALL, 0],
  [{ metadata: { none: "2" } }, 0, 0],
];
const DELIVERIES: [Record<string, unknown>, number, number][] = [
  [{}, ALL, ALL],
  [{ delivery_id: "dlv_3" }, 1, 1],
  [{ event_id: "evt_3" }, 1, 1],
  [{ event_id: "evt_*" }, ALL, ALL],
  [{ charge_id: "ch_3", delivery_id: { not: "dlv_3" } }, 1, 1],
];

const namespace = records();

it.each(CHARGES)(
  "POST /wait reads few charges to match %j: %d candidates, %d matches",
  (match, looked, meant) => {
    const { possibleMatches } = recordSourceOf(namespace, "charge");
    const found = [...possibleMatches(match)];
    expect(found).toHaveLength(looked);
    const isMeant = (charge: object) => findMismatches(match, charge).length === 0;
    expect(found.filter(isMeant)).toHaveLength(meant);
    expect([...possibleMatches({})].filter(isMeant)).toHaveLength(meant);
  },
);

it.each(DELIVERIES)("POST /wait reads few deliveries to match %j: %d candidates", (match, looked) => {
  expect([...recordSourceOf(namespace, "delivery").possibleMatches(match)]).toHaveLength(looked);
});
