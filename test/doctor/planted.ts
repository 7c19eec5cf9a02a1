import type { ReceiverFaultName } from "../../src/tools/doctor/faults.js";
import { Random } from "../simulation/random.js";
import type { Event, Incoming, Reply } from "./receivers.js";
import { NEVER, type Shop } from "./shop.js";

/** Replaces parts of a shop, or changes it. */
type Plant = Partial<Shop> | ((shop: Shop) => unknown);

/** Expected result of a check. */
interface Planted {
  readonly expected: readonly ["FAIL" | "NOTE", ReceiverFaultName];
  readonly plant: (shop: Shop) => unknown;
}

const text = (status: number, words = "", headers?: Record<string, string>): Reply => ({
  status,
  text: words,
  ...(headers === undefined ? {} : { headers }),
});
const cut = ({ response }: Incoming): typeof NEVER => {
  response.destroy();
  return NEVER;
};
const planted = (expected: Planted["expected"], plant: Plant): Planted => ({
  expected,
  plant: typeof plant === "function" ? plant : (shop) => Object.assign(shop, plant),
});
const fails = (fault: ReceiverFaultName, plant: Plant) => planted(["FAIL", fault], plant);
const notes = (fault: ReceiverFaultName, plant: Plant) => planted(["NOTE", fault], plant);

const always = (fault: ReceiverFaultName, reply: Reply): Planted => fails(fault, { first: () => reply });
/** Fails on selected events. */
const at = (
  fault: ReceiverFaultName,
  isIt: (event: Event, body: Buffer) => boolean,
  reply = text(500, "error"),
) => fails(fault, { look: (event, { body }) => (isIt(event, body) ? reply : undefined) });
const KNOWN =
  /^(charge\.(awaiting_payment|processing|completed|failed|cancelled|expired|refunded)|withdrawal\.\w+|webhook\.test)$/;
const FIELDS = ["id", "type", "timestamp", "mode", "data"];

/** Receivers with one fault each, and the expected result. */
export const PLANTED: Readonly<Record<string, Planted>> = {
  nothing_verified: fails("no_verification", { verifies: () => true }),
  drops_forged_with_200: fails("no_verification", { refuse: () => text(200, "ok") }),
  header_there: fails("signature_not_compared", {
    verifies: ({ headers }) => headers["webhook-signature"] !== undefined,
  }),
  unsigned_passes: fails("unsigned_accepted", (shop) => {
    const right = shop.verifies.bind(shop);
    shop.verifies = (incoming) => incoming.headers["webhook-signature"] === undefined || right(incoming);
  }),
  starts_with: fails("part_accepted", { fits: (given, expected) => expected.startsWith(given) }),
  empty_passes: fails("part_accepted", { fits: (given, expected) => given === "" || given === expected }),
  bare_tag_passes: fails("part_accepted", {
    fits: (given, expected) => given === "v1," || given === expected,
  }),
  compares_8_characters: fails("part_accepted", {
    fits: (given, expected) => given.slice(0, 11) === expected.slice(0, 11),
  }),
  compares_shorter_length: fails("part_accepted", {
    fits: (given, expected) => given.length > 3 && expected.startsWith(given),
  }),
  ignores_case: fails("case_ignored", {
    fits: (given, expected) => given.toLowerCase() === expected.toLowerCase(),
  }),
  any_version: fails("version_ignored", {
    fits: (given, expected) => given.split(",")[1] === expected.split(",")[1],
  }),
  any_age: fails("stale_accepted", { isTimely: () => true }),
  an_hour_old: fails("stale_accepted", { isTimely: (age) => Math.abs(age) < 3_600_000 }),
  from_the_future: notes("future_accepted", { isTimely: (age) => age < 300_000 }),
  five_seconds: fails("tolerance_too_small", { isTimely: (age) => Math.abs(age) < 5_000 }),
  body_timestamp: fails("body_timestamp", (shop) => {
    shop.look = ({ timestamp }) =>
      shop.wall.nowMs() - Date.parse(timestamp) > 300_000 ? text(400, "too old") : undefined;
  }),
  first_signature: fails("first_signature_only", { signatures: (header) => header.split(" ").slice(0, 1) }),
  last_signature: fails("last_signature_only", { signatures: (header) => header.split(" ").slice(-1) }),
  whole_header: fails("one_signature_only", { signatures: (header) => [header] }),
  rotation_crashes: fails("rotation_crashes", {
    first: ({ headers }) =>
      String(headers["webhook-signature"]).includes(" ") ? text(500, "error") : undefined,
  }),
  rewritten_json: fails("reserialized_body", {
    signedBytes: (body) => Buffer.from(JSON.stringify(JSON.parse(body.toString()))),
  }),
  latin1: fails("unicode", { signedBytes: (body) => Buffer.from(body.toString("latin1")) }),
  first_2_kb: fails("large_body", { signedBytes: (body) => body.subarray(0, 2048) }),
  body_unsigned: fails("tampered_accepted", (shop) => {
    const right = shop.verifies.bind(shop);
    shop.verifies = (incoming) =>
      right(incoming) || right({ ...incoming, body: Buffer.from(undone(incoming.body.toString())) });
  }),
  other_secret: fails("refuses_valid_events", { fits: (given, expected) => given === `${expected}x` }),
  known_id_first: notes("known_id_unverified", (shop) => {
    shop.first = ({ headers }) =>
      shop.handled.has(String(headers["webhook-id"])) ? text(200, "already handled") : undefined;
  }),
  forged_id_noted: fails("forged_id_counts", (shop) => {
    shop.refuse = ({ headers }) => {
      shop.handled.add(String(headers["webhook-id"]));
      return text(400, "bad signature");
    };
  }),

  refuses_with_500: notes("refusals_crash", { refuse: () => text(500, "error") }),
  refuses_to_login: fails("refusals_redirect", { refuse: () => text(302, "", { location: "/login" }) }),
  refuses_with_silence: fails("refusals_hang", (shop) => (shop.refuse = () => hang(shop))),
  refuses_by_cutting: fails("refusals_break", { refuse: cut }),
  refuses_for_now: fails("forgeries_deferred", { refuse: () => text(429) }),
  takes_one_event: fails("forgeries_deferred", (shop) => {
    let isFirst = true;
    shop.first = () => {
      if (!isFirst) return text(503, "", { "retry-after": "5" });
      isFirst = false;
      return undefined;
    };
  }),

  not_found: always("wrong_path", text(404, "Cannot POST /webhooks")),
  not_allowed: always("wrong_method", text(405)),
  gone: always("endpoint_gone", text(410)),
  too_large: always("too_large", text(413, "too large")),
  moved: always("redirects", text(301, "", { location: "/webhooks/" })),
  unauthorized: always("refuses_valid_events", text(401)),
  broken: always("crashes_on_valid_events", text(500)),
  too_many: always("busy", text(429)),
  cuts: fails("breaks_connection", { first: cut }),
  hangs: fails("too_slow", (shop) => (shop.first = () => hang(shop))),
  twenty_seconds: fails("too_slow", (shop) => {
    shop.first = () => {
      shop.wall.pass(20_000);
      return undefined;
    };
  }),
  six_seconds: notes("slow", (shop) => {
    shop.look = ({ type }) => {
      if (type === "charge.processing") shop.wall.pass(6_000);
      return undefined;
    };
  }),
  one_kb: fails("too_large", { first: limit(1_024) }),
  test_in_live: at("refuses_content", ({ mode }) => mode === "test", text(400, "test event in live")),
  unknown_charge: at("refuses_content", () => true, text(404, "no such order")),

  no_withdrawals: at("other_types", ({ type }) => type.startsWith("withdrawal.")),
  no_test_event: at("other_types", ({ type }) => type === "webhook.test"),
  needs_a_charge_id: at("other_types", ({ data }) => data.charge_id === undefined),
  no_failed: at("lifecycle", ({ type }) => type === "charge.failed"),
  no_refunded: at("lifecycle", ({ type }) => type === "charge.refunded"),
  no_expired: at("lifecycle", ({ type }) => type === "charge.expired"),
  no_completed: at("lifecycle", ({ type }) => type === "charge.completed"),
  unknown_type_crashes: at("unknown_type", ({ type }) => !KNOWN.test(type)),
  unknown_type_refused: at("unknown_type", ({ type }) => !KNOWN.test(type), text(400, "unknown type")),
  unknown_type_cut: fails("unknown_type", {
    look: ({ type }, incoming) => (KNOWN.test(type) ? undefined : cut(incoming)),
  }),
  unknown_type_hangs: fails("unknown_type", (shop) => {
    shop.look = ({ type }) => (KNOWN.test(type) ? undefined : hang(shop));
  }),
  unknown_family_crashes: at("unknown_family", ({ type }) => !/^(charge|withdrawal|webhook)\./.test(type)),
  unknown_family_refused: at(
    "unknown_family",
    ({ type }) => !/^(charge|withdrawal|webhook)\./.test(type),
    text(422),
  ),

  ascii_names: at("content_crashes", (_event, body) => /[^\0-\x7f]/.test(body.toString())),
  strict_event: at("unknown_fields", (event) => Object.keys(event).some((key) => !FIELDS.includes(key))),
  strict_data: at(
    "unknown_fields",
    ({ data }) => data.installments !== undefined,
    text(400, "unknown field"),
  ),
  no_crypto: at("payments", ({ data }) => data.payment_method === "crypto"),
  small_amounts: at("payments", ({ data }) => Number(data.amount) > 1e6),
  fees_needed: at("null_field", ({ data }) => data.fees === null),
  method_needed: at(
    "null_field",
    ({ type, data }) => type === "charge.expired" && data.payment_method === null,
  ),
  reason_needed: at(
    "null_field",
    ({ type, data }) => type === "withdrawal.failed" && data.failure_reason === null,
    text(422),
  ),
  four_kb: fails("large_body", { first: limit(4_096) }),
  live_mode_crashes: at("other_mode", ({ mode }) => mode === "live"),
  one_charge_an_order: fails("foreign_charge", (shop) => {
    const charges = new Map<string, string>();
    shop.look = ({ data }) => {
      const { charge_id, metadata } = data;
      const order = metadata?.order_id;
      if (order === undefined) return undefined;
      charges.set(order, charges.get(order) ?? charge_id);
      return charges.get(order) === charge_id ? undefined : text(500, "unique constraint");
    };
  }),

  // Repeated, concurrent and reordered events
  duplicates_crash: fails("duplicates", { repeated: () => text(500, "unique constraint") }),
  duplicates_conflict: fails("duplicates", { repeated: () => text(409, "exists") }),
  order_enforced: fails("reordered", (shop) => inOrderOnly(shop, text(409, "not allowed"))),
  order_crashes: fails("reordered", (shop) => inOrderOnly(shop, text(500, "error"))),
  five_at_a_time: fails("burst", (shop) => crowded(shop, text(500, "pool is empty"))),
  five_at_a_time_503: fails("burst", (shop) => crowded(shop, text(503))),
  copies_collide: notes("simultaneous", (shop) => {
    const under = new Set<string>();
    shop.look = async ({ id }) => {
      if (under.has(id)) return text(500, "deadlock");
      under.add(id);
      await turn();
      under.delete(id);
      return undefined;
    };
  }),
  every_second: fails("fails_now_and_then", (shop) => {
    shop.first = () => (shop.requests % 2 === 0 ? text(500, "error") : undefined);
  }),
  every_third: fails("fails_now_and_then", (shop) => {
    shop.first = () => (shop.requests % 3 === 0 ? text(500, "error") : undefined);
  }),
  by_chance: fails("fails_now_and_then", (shop) => {
    const random = new Random("a");
    shop.first = () => (random.chance(0.2) ? text(500, "error") : undefined);
  }),
  first_fails: notes("first_request_fails", (shop) => {
    shop.first = () => (shop.requests === 1 ? text(500, "starting") : undefined);
  }),
};

/** Restores the event that the check changed. */
function undone(body: string): string {
  return body.replace('"amount":"113273.00"', '"amount":"1132.73"');
}

function hang(shop: Shop): typeof NEVER {
  shop.wall.giveUp();
  return NEVER;
}

function limit(bytes: number): Shop["first"] {
  return ({ body }) => (body.length > bytes ? text(413, "too large") : undefined);
}

/** Waits until concurrent events have arrived. */
async function turn(): Promise<undefined> {
  for (let turns = 0; turns < 50; turns++) await new Promise(setImmediate);
}

function inOrderOnly(shop: Shop, reply: Reply): void {
  shop.look = ({ data }) => {
    const order = shop.orders.get(data.charge_id);
    return order !== undefined && !shop.isNewer(order, data.status) ? reply : undefined;
  };
}

function crowded(shop: Shop, reply: Reply): void {
  let inside = 0;
  shop.look = async () => {
    inside++;
    await turn();
    const answer = inside > 5 ? reply : undefined;
    inside--;
    return answer;
  };
}
