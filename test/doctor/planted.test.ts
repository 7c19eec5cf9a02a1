import { expect, it } from "vitest";
import type { Probe, ProbeRow } from "../../src/core/schema/receiver-report.js";
import { INVALID_SIGNATURE_PROBES } from "../../src/tools/doctor/invalid-signatures.js";
import { NULLABLE_CHARGE_FIELDS } from "../../src/tools/doctor/samples.js";
import { PLANTED } from "./planted.js";
import { checkAt, serve } from "./receivers.js";
import { Shop } from "./shop.js";

const VERIFIED = Object.keys(INVALID_SIGNATURE_PROBES) as Probe[];
const SIGNED = VERIFIED.filter((probe) => probe !== "unsigned");

/** Fault → the probes that fail. */
const SHOWN_BY: Readonly<Record<string, readonly Probe[]>> = {
  nothing_verified: [...VERIFIED, "known_id", "rotated_secret"],
  header_there: [...SIGNED, "known_id", "rotated_secret"],
  unsigned_passes: ["unsigned"],
  any_age: ["stale", "future"],
  first_signature: ["rotated_secret"],
  last_signature: ["rotated_secret"],
  whole_header: ["rotated_secret"],
  rewritten_json: ["unicode"],
  latin1: ["unicode"],
  strict_event: ["unicode"],
  refuses_with_500: VERIFIED,
  refuses_to_login: VERIFIED,
  refuses_with_silence: VERIFIED,
  refuses_by_cutting: VERIFIED,
  refuses_for_now: ["future", ...VERIFIED.filter((probe) => probe !== "future")],
  no_completed: ["each_type", "reordered", "retry", "null_fields", "foreign_charge", "other_mode", "amount"],
  one_charge_an_order: ["foreign_charge", "other_mode"],
  unknown_type_crashes: ["unknown_type", "unknown_family", "retry"],
  unknown_type_refused: ["unknown_type", "unknown_family"],
  unknown_type_cut: ["unknown_type", "unknown_family"],
  duplicates_crash: ["duplicate", "retry", "simultaneous"],
  duplicates_conflict: ["duplicate", "retry", "simultaneous"],
  order_enforced: ["reordered"],
  order_crashes: ["reordered", "retry"],
  five_at_a_time: ["burst"],
};

it.each([
  ...NULLABLE_CHARGE_FIELDS.filter((field) => !["payment_provider", "failure_reason"].includes(field)).map(
    (field) => ["charge.completed", field] as const,
  ),
  ["charge.failed", "failure_reason"],
  ["withdrawal.failed", "failure_reason"],
  ["withdrawal.completed", "reference"],
] as const)("reports both %s and %s null when a receiver fails on them", async (type, field) => {
  const shop = new Shop();
  shop.look = (event) => (event.type === type && event.data[field] === null ? { status: 500 } : undefined);
  await using running = await serve((incoming) => shop.receive(incoming));
  const { findings, probes } = await checkAt(running.url, {}, { wall: shop.wall });
  expect(findings.map(({ fault }) => fault)).toEqual(["null_field"]);
  expect(probes.find(({ probe }) => probe === "null_fields")?.came_back).toMatch(
    new RegExp(`2 × 500 \\(${type} with ${field} null\\);`),
  );
});

/** Requests after which a check stops when no valid event is accepted. */
const REQUESTS: Readonly<Record<string, number>> = {
  moved: 2,
  unauthorized: 3,
  not_found: 3,
  unknown_charge: 3,
  broken: 2,
  too_many: 1,
  cuts: 2,
};

it.each(Object.entries(PLANTED))(
  "detects a receiver with the fault %s",
  async (name, { expected, plant }) => {
    const shop = new Shop();
    plant(shop);
    const running = await serve((incoming) => shop.receive(incoming));
    const streamed: ProbeRow[] = [];
    const { findings, probes, outcome } = await checkAt(
      running.url,
      {},
      { wall: shop.wall, onRow: (row) => streamed.push(row) },
    );
    const found = findings.map(({ fault, severity }) => [severity === "must" ? "FAIL" : "NOTE", fault]);
    expect(found).toEqual([expected]);
    expect(outcome).toBe(found.some(([verdict]) => verdict === "FAIL") ? "failed" : "passed");
    // The progress lines equal those of the final report.
    expect(streamed.map((row) => [row.probe, row.verdict])).toEqual(
      probes.slice(0, streamed.length).map((row) => [row.probe, row.verdict]),
    );
    const [finding] = findings;
    if (name in SHOWN_BY) expect(finding?.probes).toEqual(SHOWN_BY[name]);
    const failed = probes.filter(({ verdict }) => verdict === "fail");
    const { fault, advice, probes: shown } = finding ?? {};
    expect(failed).toMatchObject(outcome === "failed" ? [{ probe: shown![0], fault, advice }] : []);
    if (failed[0]?.probe !== "valid") return;
    const requests = REQUESTS[name];
    if (requests !== undefined) expect(shop.requests).toBe(requests);
    for (const row of probes.slice(1))
      expect(row).toMatchObject({ verdict: "note", because: "valid", came_back: "not sent", answers: [] });
  },
);
