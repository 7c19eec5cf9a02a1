import * as r from "../../../../schema/control-responses.js";
import { type Component, object } from "../../component.js";

export function pageOf(what: string, order = "newest first") {
  return { total: "How many there are, on all pages.", items: `${what}, ${order}.` };
}

/** The server, its namespaces, their states and clocks. */
export function worldComponents(): Component[] {
  const keys = {
    api_key: "Its key of test mode.",
    live_api_key: "Its key of live mode.",
    webhook_secret: "What its webhooks are signed with.",
    seed: "What its ids and chances follow from.",
  };
  return [
    object("Health", r.healthSchema, "The server is ready.", {
      status: "Always `ok`.",
      version: "Its version.",
    }),
    object("Sandbox", r.sandboxSchema, "The server, and what is in the namespace.", {
      version: "The server's version.",
      namespace: "The namespace the request means.",
      keys: "Every key it takes.",
      ...keys,
      clock: "Its time.",
      counts: "How many there are of each.",
    }),
    object("Key", r.keySchema, "An API key.", {
      key: "The key itself; it is good for nothing but this sandbox.",
      organization_id: "Whose it is.",
      permission: "What it may do.",
    }),
    object("Counts", r.countsSchema, "How many records there are.", {
      charges: "Charges.",
      quotes: "Quotes.",
      withdrawals: "Withdrawals.",
      events: "Events in the log.",
      deliveries: "Deliveries in the log.",
      webhook_endpoints: "Receivers.",
      scenarios: "Scenarios, active or not.",
      tasks: "Things planned.",
    }),
    object("Clock", r.clockSchema, "Sandbox time, and how it goes.", {
      mode: {
        says: "`manual` stands, `real` goes with wall time, `60x` sixty times as fast.",
        examples: ["60x"],
      },
      speed: "Sandbox time for wall time; 1 unless it goes faster.",
      now: "What time it is.",
      next_due: "When the next thing planned is due; null when nothing is.",
      advancing: "Whether an advance is under way.",
    }),
    object("Fired", r.firedSchema, "One thing that happened because its time came.", {
      at: "When.",
      task: "What: an expiry, an entry of a timeline, a settlement, a withdrawal's step, a delivery attempt.",
      ref: "The charge, withdrawal or delivery it was about.",
    }),
    object("AdvanceReport", r.advanceReportSchema, "How far time went, and what happened on the way.", {
      from: "Before.",
      to: "After.",
      fired: "What happened, in order; the first 1,000.",
      fired_total: "How much happened in all.",
    }),
    object("Namespace", r.namespaceSchema, "A namespace.", {
      name: "What it is called.",
      ...keys,
      clock: "Its time.",
      charges: "How many charges it has.",
    }),
    object("NamespaceList", r.namespaceListSchema, "A page of namespaces.", pageOf("Namespaces")),
    object("Snapshot", r.snapshotSchema, "A state that is kept.", {
      name: "What it is called.",
      at: "Sandbox time when it was taken.",
    }),
    object("SnapshotList", r.snapshotListSchema, "A page of snapshots.", pageOf("Snapshots")),
    object("NameDeleted", r.nameDeletedSchema, "It is gone.", { name: "What.", deleted: "Always true." }),
  ];
}
