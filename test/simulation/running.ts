import { Webhook } from "standardwebhooks";
import { MINIMUM, WITHDRAWAL_MOVES } from "../support/contract.js";
import { units } from "../support/prices.js";
import { ACTORS, type Actor, as } from "./audit.js";
import type { Json } from "./client.js";
import { demand, demandSame } from "./failure.js";
import { available, durationMs, iso, type State, type Withdrawal, withdrawalJson } from "./model.js";
import {
  actorOf,
  amountIn,
  control,
  expectInvalid,
  expectOk,
  expectRefused,
  noteId,
  post,
  STATUSES,
  type World,
} from "./world.js";

/** Advances by a duration, to a time, to the next task, or until idle. */
export async function advance(world: World): Promise<void> {
  const { model, random } = world;
  const fromMs = model.state.nowMs;
  const way = random.weighed({ by: 12, to: 3, next: 5, idle: 1 });
  const leaps = "1ms 999ms 1s 2s 5s 29999ms 30s 59s 1m 5m 1h 3h 1d1h".split(" ");
  const by = random.pick(leaps);
  const toMs = fromMs + random.int(0, 4_000_000);
  const target = way === "by" ? { by } : way === "to" ? { to: iso(toMs) } : { until: way };
  const nextMs = model.next()?.atMs;
  const report = expectOk(await control(world, "POST", "/clock/advance", target));
  demandSame("time", "where an advance begins", report.from, iso(fromMs));
  const reachedMs = Date.parse(report.to);
  if (way === "by" || way === "to")
    demandSame(
      "time",
      "where an advance ends",
      report.to,
      iso(way === "by" ? fromMs + durationMs(by) : toMs),
    );
  // A delivery may be due first, but no task may be skipped.
  else if (way === "next" && nextMs !== undefined)
    demand(
      reachedMs <= nextMs,
      "time",
      () => `next is at ${iso(nextMs)}, and the advance came to ${report.to}`,
    );
  let beforeMs = fromMs;
  for (const { at } of report.fired) {
    const atMs = Date.parse(at);
    demand(
      atMs >= beforeMs && atMs <= reachedMs,
      "too early",
      () => `fired at ${at}, between ${iso(beforeMs)} and ${report.to}`,
    );
    beforeMs = atMs;
  }
  model.passTo(reachedMs);
  if (way !== "idle") return;
  const left = model.next();
  demand(
    left === undefined,
    "time",
    () => `idle at ${report.to}, and something is due at ${iso(left!.atMs)}`,
  );
}

/** Organizations with an available balance, and its currency. */
function riches(world: World): { actor: Actor; currency: string }[] {
  return ACTORS.flatMap((actor) =>
    Object.keys(MINIMUM)
      .filter((code) => available(world.model, actor.mode, actor.org, code) >= units(MINIMUM[code]!, code))
      .map((currency) => ({ actor, currency })),
  );
}

async function makeDestination(world: World): Promise<string> {
  const { random } = world;
  const rich = riches(world);
  const { actor, currency } =
    rich.length > 0 && random.chance(0.8)
      ? random.pick(rich)
      : { actor: actorOf(world), currency: random.pick(Object.keys(MINIMUM)) };
  const isCoin = currency.startsWith("USDT");
  const body = isCoin
    ? { type: "crypto_wallet", currency, wallet_address: "T-nobody" }
    : { type: "bank_account", currency, bank_code: "044", account_number: "0123456789", account_name: "Ada" };
  const { destination_id } = expectOk(await post(world, actor, "/payouts/destinations", body));
  world.destinations.set(destination_id, { actor, currency, type: body.type });
  world.destinationTypes.set(destination_id, body.type);
  return destination_id;
}

interface WithdrawalWish {
  readonly actor: Actor;
  readonly body: { destination_id: string; amount: string; currency: string; reference: string };
  readonly key: string | null;
}

/** Repeats an earlier call with its key, like an app that lost the response. */
function oldWish(world: World): WithdrawalWish | undefined {
  const { model, random } = world;
  const known = [...model.state.replies];
  if (known.length === 0 || !random.chance(0.3)) return undefined;
  const [place, { body }] = random.pick(known);
  const [apiKey, key] = place.split("|");
  return { actor: ACTORS.find((one) => one.key === apiKey)!, body: JSON.parse(body), key: key! };
}

/** A withdrawal that may exceed the balance or reuse a key. */
async function newWish(world: World): Promise<WithdrawalWish> {
  const { model, random } = world;
  const own = [...world.destinations.keys()];
  const rich = own.filter((id) => {
    const { actor, currency } = world.destinations.get(id)!;
    return available(model, actor.mode, actor.org, currency) >= units(MINIMUM[currency]!, currency);
  });
  const isRich = rich.length > 0 && random.chance(0.8);
  const id =
    own.length === 0 || (rich.length === 0 && random.chance(0.7)) || random.chance(0.2)
      ? await makeDestination(world)
      : random.pick(isRich ? rich : own);
  const { actor, currency } = world.destinations.get(id)!;
  const least = Number.parseFloat(MINIMUM[currency]!);
  const amount = random.chance(0.1)
    ? "1.00"
    : amountIn(world, currency, least, least * random.pick([1, 1, 3]));
  const reference = random.pick(["rent", "fail-it", "wages"]);
  return {
    actor,
    body: { destination_id: id, amount, currency, reference },
    key: random.chance(0.6) ? `key-${random.int(0, 5)}` : null,
  };
}

/** Makes a withdrawal; its response is sometimes lost. */
export async function withdraw(world: World): Promise<void> {
  const wish = oldWish(world) ?? (await newWish(world));
  const { actor, body, key } = wish;
  const headers: Record<string, string> = key === null ? {} : { "idempotency-key": key };
  if (world.random.chance(0.1)) {
    const match = { operation: "createWithdrawal" };
    await control(world, "POST", "/faults", { match, drop: "after", times: 1 });
    const cut = await post(world, actor, "/payouts/withdrawals", body, headers);
    demandSame("fault", "an answer that is to be lost", cut.status, 0);
    await control(world, "DELETE", "/faults");
    // The withdrawal exists although the response was lost.
    const { json } = await world.client.get("/api/v1/payouts/withdrawals?limit=1", as(actor));
    if (knownReply(world, wish) === undefined && faultOf(world, wish) === undefined)
      note(world, wish, json.items[0]);
    if (key === null) return;
  }
  const answer = await post(world, actor, "/payouts/withdrawals", body, headers);
  const known = knownReply(world, wish);
  if (known !== undefined) {
    if (known.body !== JSON.stringify(body)) return expectRefused(answer, 422, "IDEMPOTENCY_KEY_REUSED");
    demand(answer.status === 200 && answer.replayed, "idempotency", () => `not replayed: ${answer.text}`);
    demandSame("idempotency", "a replay", answer.text, known.text);
    return;
  }
  demand(!answer.replayed, "idempotency", () => `replayed what was never said: ${answer.text}`);
  const fault = faultOf(world, wish);
  if (fault === "amount") return expectInvalid(answer, fault);
  if (fault !== undefined) return expectRefused(answer, 400, fault);
  note(world, wish, expectOk(answer), answer.text);
}

const placeOf = ({ actor, key }: WithdrawalWish) => `${actor.key}|${key}`;

/** The stored response of the key, within 24 hours. */
function knownReply({ model: { state } }: World, wish: WithdrawalWish) {
  const known = wish.key === null ? undefined : state.replies.get(placeOf(wish));
  return known !== undefined && state.nowMs - known.atMs < durationMs("24h") ? known : undefined;
}

function faultOf({ model }: World, { actor, body: { amount, currency } }: WithdrawalWish) {
  const padded =
    amount.includes(".") && currency.startsWith("USDT")
      ? amount.padEnd(amount.indexOf(".") + 7, "0")
      : amount;
  if (units(padded, currency) < units(MINIMUM[currency]!, currency)) return "amount";
  const isThere = units(padded, currency) <= available(model, actor.mode, actor.org, currency);
  return isThere ? undefined : "INSUFFICIENT_BALANCE";
}

/** @param text body of the response, unless it was lost */
function note(world: World, wish: WithdrawalWish, made: Json, text?: string): void {
  const { model } = world;
  const { nowMs } = model.state;
  const { amount, currency, reference, destination_id } = wish.body;
  const { mode, org } = wish.actor;
  noteId(world, made.withdrawal_id);
  const one: Withdrawal = {
    id: made.withdrawal_id,
    mode,
    org,
    status: "PENDING",
    updatedMs: nowMs,
    failure: null,
    timeline: [],
    entry: undefined,
    asked: null,
    scenario: null,
    amount,
    currency,
    subject: {
      metadata: {},
      fields: { type: world.destinationTypes.get(destination_id)!, currency, amount, reference, mode },
    },
    fixed: {
      destination_id,
      reference,
      fee: amount.replace(/\d/g, "0").replace(/^0+\./, "0."),
      created_at: iso(nowMs),
    },
  };
  const asNew = { ...made, status: "PENDING", updated_at: iso(nowMs), failure_reason: null };
  demandSame("withdrawal", "a new one", asNew, withdrawalJson(one));
  model.state.withdrawals.set(one.id, one);
  const reply = { body: JSON.stringify(wish.body), text: text ?? withdrawalJson(one), atMs: nowMs };
  if (wish.key !== null) model.state.replies.set(placeOf(wish), reply);
  model.holding(mode, org, currency).available -= units(amount, currency);
  model.begin("withdrawals", one);
  model.passTo(nowMs);
}

export async function moveWithdrawal(world: World): Promise<void> {
  const { model, random } = world;
  const all = [...model.state.withdrawals.values()];
  if (all.length === 0) return;
  const one = random.pick(all.slice(-6));
  const to = random.pick(["PROCESSING", "COMPLETED", "FAILED", "CANCELLED"]);
  const answer = await control(world, "POST", `/withdrawals/${one.id}/transition`, { to });
  if (!(WITHDRAWAL_MOVES[one.status] ?? []).includes(to))
    return expectRefused(answer, 409, "INVALID_TRANSITION");
  expectOk(answer);
  model.moveWithdrawal(one, to, "person");
}

/** Bounces a payout, and completes it first if necessary. */
export async function bounce(world: World): Promise<void> {
  const { model, random } = world;
  const all = [...model.state.withdrawals.values()];
  if (all.length === 0) return;
  const one = random.pick(all);
  for (const to of random.chance(0.7) ? ["PROCESSING", "COMPLETED"] : []) {
    if (!(WITHDRAWAL_MOVES[one.status] ?? []).includes(to)) continue;
    expectOk(await control(world, "POST", `/withdrawals/${one.id}/transition`, { to }));
    model.moveWithdrawal(one, to, "person");
  }
  const answer = await control(world, "POST", `/withdrawals/${one.id}/bounce`, {});
  if (one.status !== "COMPLETED" || one.hasBounced) return expectRefused(answer, 409, "INVALID_TRANSITION");
  model.bounce(one, expectOk(answer));
}

const WAITS = ["0s", "0s", "1ms", "1s", "5s", "30s", "1m", "59s", "1h", "2d"];

/** A scenario with entries that come late, repeat, or have no effect. */
function randomScenario(world: World) {
  const { random } = world;
  const matchOf = () =>
    random.pick([
      undefined,
      { payment_method: random.pick(["card", "crypto", "mobile_money"]) },
      { currency: [random.pick(["KES", "NGN"]), "USD"] },
      { customer_email: "*@shop.test" },
      { base_amount: { gte: "10", lt: String(random.int(11, 9_000)) } },
      { mode: "live" },
    ]);
  const entries = (steps: readonly string[], canBeLate: boolean) =>
    Array.from({ length: random.int(0, 6) }, () => ({
      [canBeLate && random.chance(0.2) ? "after_expiry" : "after"]: random.pick(WAITS),
      to: random.pick(steps),
      ...(random.chance(0.3) ? { reason: "so it was written" } : {}),
    }));
  const mishap = () =>
    random.pick([
      { copies: random.int(2, 3) },
      { delay: random.pick(["3s", "10m"]) },
      { drop: true },
      { swap: true },
      { fail_first: random.int(1, 4) },
      { bad_signature: true },
      { stale: "10m" },
    ]);
  return {
    charges: Array.from({ length: random.int(0, 3) }, () => ({
      match: matchOf(),
      timeline: entries(STATUSES, true),
    })),
    withdrawals: random.chance(0.5)
      ? [{ timeline: entries(["PROCESSING", "COMPLETED", "FAILED", "CANCELLED"], false) }]
      : [],
    webhooks: Array.from({ length: random.int(0, 2) }, () => ({
      match: {
        type: random.pick(["charge.completed", "charge.*", "withdrawal.*", "charge.awaiting_payment"]),
      },
      ...mishap(),
    })),
  };
}

export async function changeScenarios(world: World): Promise<void> {
  const { model, random } = world;
  const { scenarios } = model.state;
  const name = `own_${random.int(0, 2)}`;
  const known = scenarios.get(name);
  if (known === undefined || random.chance(0.4)) {
    const scenario = randomScenario(world);
    expectOk(await control(world, "PUT", `/scenarios/${name}`, scenario));
    scenarios.set(name, {
      scenario: JSON.parse(JSON.stringify({ ...scenario, name })),
      activated: known?.activated ?? 0,
    });
    return;
  }
  const isOn = random.chance(0.6);
  expectOk(await control(world, "POST", `/scenarios/${name}/${isOn ? "activate" : "deactivate"}`));
  scenarios.set(name, { ...known, activated: isOn ? ++model.state.activations : 0 });
}

export async function changeRates(world: World): Promise<void> {
  const code = world.random.pick(["NGN", "KES", "BTC", "ETH", "ZAR"]);
  const rate =
    code === "BTC" || code === "ETH"
      ? `0.000${world.random.int(1, 99_999)}`
      : `${world.random.int(1, 3_000)}.${world.random.int(1, 9)}`;
  expectOk(await control(world, "PUT", "/rates", { [code]: rate }));
  world.model.state.rates[code] = rate;
}

/** Creates a random fault and checks which calls it affects. */
export async function meetFaults(world: World): Promise<void> {
  const times = world.random.int(1, 2);
  const code = `SIM_${world.counter++}`;
  await control(world, "POST", "/faults", {
    match: { operation: "createQuote" },
    respond: { status: 503, code },
    probability: 0.5,
    times,
  });
  let met = 0;
  for (let count = 0; count < 4; count++) {
    const pricing = { base_currency: "USD", amount: "10.00" };
    const answer = await post(world, ACTORS[0]!, "/payments/quotes", { pricing, payment_method: "card" });
    if (answer.status === 200) noteId(world, answer.json.quote_id);
    else {
      demandSame("fault", "the fault met", [answer.status, answer.json?.error?.code], [503, code]);
      met++;
    }
  }
  demand(met <= times, "fault", () => `the fault was met ${met} times of ${times}`);
  const { items } = (await control(world, "GET", "/faults")).json;
  demandSame("fault", "how often it was met", items[0].applied, met);
  await control(world, "DELETE", "/faults");
}

export async function changeEndpoints(world: World): Promise<void> {
  const { model, random, receivers } = world;
  const { endpoints, nowMs } = model.state;
  const known = [...endpoints.values()];
  if (known.length > 0 && random.chance(0.35)) {
    const one = random.pick(known);
    if (random.chance(0.4)) {
      expectOk(await control(world, "DELETE", `/webhook-endpoints/${one.id}`));
      endpoints.delete(one.id);
      return;
    }
    const enabled = random.chance(0.7);
    expectOk(await control(world, "PATCH", `/webhook-endpoints/${one.id}`, { enabled }));
    if (enabled && !one.enabled) one.onSinceMs = nowMs + 1;
    if (!enabled) {
      one.wasOff = true;
      one.offSinceMs = -1;
    }
    one.enabled = enabled;
    return;
  }
  const target = random.pick([
    { url: receivers.moody.url },
    { url: receivers.gone.url },
    // Otherwise a running clock would wait for this receiver.
    { url: receivers.nobody, unreachable: "fail" },
    { mailbox: "post" },
  ]);
  const mode = random.pick(["test", "test", "live"] as const);
  const events = random.pick([["*"], ["charge.*"], ["*.completed", "*.failed"]]);
  const made = expectOk(await control(world, "POST", "/webhook-endpoints", { ...target, mode, events }));
  const before = endpoints.get(made.webhook_id);
  endpoints.set(made.webhook_id, {
    id: made.webhook_id,
    kind: "mailbox" in target ? "mailbox" : "url",
    url: made.url,
    mailbox: made.mailbox,
    mode,
    org: null,
    events,
    enabled: true,
    wasOff: before?.wasOff ?? false,
    onSinceMs: before === undefined || before.enabled ? (before?.onSinceMs ?? 0) : nowMs + 1,
    offSinceMs: before?.offSinceMs ?? -1,
    offBeforeEvent: before?.offBeforeEvent ?? Number.POSITIVE_INFINITY,
    secret: made.secret,
  });
}

/** Maximum age of a signature that receivers accept. */
const TOLERANCE_MS = 5 * 60_000;

/** Takes and acknowledges all deliveries of the mailbox. */
export async function emptyMailbox(world: World): Promise<void> {
  const { model, random } = world;
  const boxes = [...model.state.endpoints.values()].filter((one) => one.kind === "mailbox");
  if (boxes.length === 0) return;
  const { items } = expectOk(await control(world, "POST", "/mailboxes/post/take", { max: random.int(1, 8) }));
  for (const { delivery_id, headers, body } of items) {
    const { json } = await world.client.get(`/_sandbox/deliveries/${delivery_id}`);
    demandSame("delivery", "what a mailbox gives", body, json.body);
    demandSame("delivery", "when a mailbox gives it", json.status, "pending");
    const { secret } = model.state.endpoints.get(json.webhook_id)!;
    const sentMs = Number(headers["webhook-timestamp"]) * 1_000;
    const signature = new Webhook(secret).sign(headers["webhook-id"], new Date(sentMs), body);
    const isTaken =
      headers["webhook-signature"] === signature && Math.abs(world.ground.wallMs() - sentMs) < TOLERANCE_MS;
    const isFine = !json.mishap?.bad_signature && !(json.mishap?.stale_ms > 0);
    demandSame("signature", `of ${delivery_id}`, isTaken, isFine);
    const status = random.pick([200, 204, 500, 302]);
    expectOk(await control(world, "POST", `/mailboxes/post/${delivery_id}/ack`, { status }));
  }
}

export async function keepSnapshot(world: World): Promise<void> {
  const name = `s${world.random.int(0, 1)}`;
  expectOk(await control(world, "POST", "/snapshots", { name }));
  world.snapshots.set(name, world.model.copy());
}

export async function restore(world: World): Promise<void> {
  const names = [...world.snapshots.keys()];
  if (names.length === 0) return keepSnapshot(world);
  const name = world.random.pick(names);
  expectOk(await control(world, "POST", `/snapshots/${name}/restore`));
  world.model.state = structuredClone(world.snapshots.get(name)!);
  // A restore removes destinations.
  world.destinations.clear();
}

export async function reset(world: World): Promise<void> {
  const { random, model } = world;
  const ids = random.chance(0.3) ? { ids: "repeat" } : {};
  const keep = random.pick([undefined, [], ["webhooks", "scenarios"]]);
  expectOk(await control(world, "POST", "/reset", { ...ids, ...(keep === undefined ? {} : { keep }) }));
  const before: State = model.state;
  model.state = structuredClone(world.initial);
  // A reset sets a running clock to wall time.
  if (world.ground.wall !== undefined) model.state.nowMs = world.ground.wall.nowMs();
  if (keep === undefined || keep.includes("webhooks"))
    for (const [id, one] of before.endpoints)
      model.state.endpoints.set(id, { ...one, onSinceMs: one.enabled ? 0 : one.onSinceMs, offSinceMs: -1 });
  if (keep?.includes("scenarios")) {
    model.state.scenarios = before.scenarios;
    model.state.activations = before.activations;
  }
  // Ids must be new unless they repeat on purpose.
  world.mayRepeat = "ids" in ids;
  // A reset removes destinations.
  world.destinations.clear();
}

/** Restarts the server, which must not change the state. */
export async function restart({ ground }: World): Promise<void> {
  await ground.restart!();
}

/** Advances wall time in every namespace. */
export async function elapse(world: World): Promise<void> {
  const { random, ground } = world;
  const wall = ground.wall!;
  const worlds = [world, ...world.neighbours];
  let leftMs = random.chance(0.75) ? random.int(1, 120_000) : 3_600_000;
  while (leftMs > 0) {
    const stepMs = Math.min(leftMs, Math.max(1, wall.armed[0] ?? leftMs));
    wall.elapse(stepMs);
    leftMs -= stepMs;
    for (const { client, model } of worlds) {
      const idle = await client.send("POST", "/_sandbox/wait", { for: "idle", timeout: "20s" });
      demand(idle.status === 200, "time", () => `does not come to rest: ${idle.text}`);
      model.passTo(model.state.nowMs + stepMs);
    }
  }
}
