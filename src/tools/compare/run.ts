import { isJsonObject } from "../../core/schema/json-objects.js";
import { UserError } from "../../core/schema/user-error.js";
import { pause } from "../../core/time/timers.js";
import { systemWallClock } from "../../core/time/wall-clock.js";
import { type Difference, differencesOf, eventDifferences, isRetryUnsure } from "./differences.js";
import type { Json } from "./invalid-values.js";
import { guessPaths, type Method, type Probe, pathOf, planProbes, readTables, type Tables } from "./plan.js";
import { type Observation, type Recording, valueOfToken } from "./shape.js";
import { type Answer, refuseUnusable, Side, stopped } from "./side.js";
import { observeWebhooks, openInbox, RETRY_MAX_MS, type ReceivedWebhook, SLACK_MAX_MS } from "./webhooks.js";

/** A sandbox of this process with a clock that stands still. */
export interface ComparedSandbox {
  readonly apiKey: string;
  readonly renames: Readonly<Record<string, string>>;
  fetch(request: Request): Promise<Response>;
  advance(by: string): Promise<unknown>;
  close(): Promise<void>;
}

/** A payment is read so often until it is final. */
const POLLS_MAX = 6;
/** Calls to the service, those until its rate limit included. */
export const CALLS_MAX = 100;
const PAYMENT_ENDS = /^(COMPLETED|FAILED|CANCELLED|EXPIRED|REFUNDED)$/i;
/** Sandbox time for our payments, and for their webhooks afterwards. */
const PAYMENTS_S = 15;
const AFTERWARDS_S = 5;
/** A late webhook is put down to a slow service, up to the time of its slowest call and of so many others. */
const SLACK_CALLS = 5;
const WINDOW_MS = 55_000;

export interface RunOptions {
  readonly service: Side | Recording;
  readonly received?: readonly ReceivedWebhook[] | undefined;
  readonly payouts: boolean;
  readonly burst: boolean;
  readonly open: (seed: string) => Promise<ComparedSandbox>;
}

export interface RunResult {
  readonly differences: readonly Difference[];
  readonly recording: Recording;
  readonly probes: readonly Probe[];
  readonly left: readonly string[];
  readonly tables: Tables;
  readonly ours: Recording;
}

/** Makes every probe on all sides, in lockstep, and compares what came back. */
export async function runProbes(options: RunOptions): Promise<RunResult> {
  const opened = await Promise.all([openOwn(options, "own"), openOwn(options, "twin")]);
  const [own, twin] = opened;
  try {
    return await compareSides(options, own, twin);
  } finally {
    await Promise.all(opened.map((one) => one.close()));
  }
}

interface OwnSide {
  readonly side: Side;
  readonly sandbox: ComparedSandbox;
  /** Second by second, so that each webhook has its time. */
  advance(seconds: number): Promise<void>;
  close(): Promise<void>;
}

async function openOwn({ open }: RunOptions, seed: string): Promise<OwnSide> {
  const sandbox = await open(seed);
  let second = 0;
  const inbox = await openInbox(0, "127.0.0.1", () => second * 1_000);
  const send = (request: Request) => sandbox.fetch(request);
  return {
    sandbox,
    side: new Side({
      key: sandbox.apiKey,
      url: "http://sandbox.test",
      send,
      inbox,
      webhookUrl: `http://127.0.0.1:${inbox.port}/`,
    }),
    advance: async (seconds) => {
      for (const end = second + seconds; second < end; ) {
        second++;
        await sandbox.advance("1s");
      }
    },
    close: async () => {
      await sandbox.close();
      inbox.close();
    },
  };
}

async function compareSides(options: RunOptions, own: OwnSide, twin: OwnSide): Promise<RunResult> {
  const { service, payouts, burst } = options;
  const live = service instanceof Side ? service : undefined;
  for (const side of [own.side, twin.side, live]) if (side !== undefined) side.renames = own.sandbox.renames;
  const described = await own.sandbox.fetch(new Request("http://sandbox.test/openapi.json"));
  const document = (await described.json()) as Json;
  const tables = await readTables();
  const recorded = (): Recording => live?.observations ?? (service as Recording);
  const left: string[] = [];
  const differences: Difference[] = [];
  const make = async (probe: Probe): Promise<void> => {
    const [answer, ours] = await Promise.all([
      live === undefined ? undefined : callService(live, probe, document),
      own.side.call(probe),
      twin.side.call(probe),
    ]);
    live?.adoptNames(probe, answer?.body, ours?.body);
    const theirs = recorded()[probe.id];
    const path = theirs?.fields.path && { path: `text: ${pathOf(document, probe.operation)}` };
    const [b, c] = [own, twin].map(({ side }) => side.observations[probe.id]);
    if (theirs === undefined || b === undefined || c === undefined)
      return void left.push(`${probe.id}: an earlier response lacks what it needs`);
    const at = (one: Observation) => ({ ...one, fields: { ...one.fields, ...path } });
    differences.push(...differencesOf({ ...probe, omit: omitting(probe, burst) }, theirs, at(b), at(c)));
  };
  const [first] = planProbes({ document, tables, methods: [], payouts });
  await make(first!);
  const methods = commonMethods(recorded()[first!.id], own.side.observations[first!.id]);
  const probes = planProbes({ document, tables, methods, payouts });
  const count = probes.length + POLLS_MAX;
  if (count > CALLS_MAX) throw stopped(`${count} calls would be made, and ${CALLS_MAX} are allowed`);
  if (live !== undefined) live.spareCalls = CALLS_MAX - count + 1 - live.calls;
  const reach: Record<string, () => Promise<unknown>> = {
    paid: () =>
      Promise.all([waitForPayments(live, probes), own.advance(PAYMENTS_S), twin.advance(PAYMENTS_S)]),
    end: () => observeEvents(options, live, own, twin, left),
  };
  let reached: string | undefined;
  try {
    for (const probe of probes.slice(1)) {
      if (probe.when !== undefined && probe.when !== reached) await reach[(reached = probe.when)]!();
      await make(probe);
    }
  } catch (error) {
    const said = live && (await removeEndpoint(live, probes));
    if (said === undefined || !(error instanceof UserError)) throw error;
    throw new UserError(`${error.message}. ${said}`, error.exitCode, error.code);
  }
  const ours = own.side.observations;
  if (Object.keys(recorded()).some((key) => key.startsWith("event ")))
    differences.push(...eventDifferences(recorded(), ours, twin.side.observations));
  if (burst) differences.push(...(await compareLimits(service, own.side, probes, left)));
  return { differences, recording: recorded(), probes, left, tables, ours };
}

/** Methods and currencies that both sides list, so that a quote is refused for another reason only. */
function commonMethods(theirs: Observation | undefined, ours: Observation | undefined): Method[] {
  const listed = (side: Observation | undefined) =>
    Object.entries(side?.fields ?? {}).flatMap(([field, token]): Method[] => {
      const [, id] = /(\w+)\.currencies$/.exec(field) ?? [];
      return id === undefined ? [] : [{ id, currencies: valueOfToken(token)?.split(", ") ?? [] }];
    });
  const others = listed(theirs);
  return listed(ours).flatMap(({ id, currencies }) => {
    const other = others.length === 0 ? currencies : others.find((one) => one.id === id)?.currencies;
    return other === undefined ? [] : [{ id, currencies: currencies.filter((code) => other.includes(code)) }];
  });
}

/** Headers of the rate limit are compared only with `--burst`. */
function omitting({ omit }: Probe, burst: boolean): RegExp | undefined {
  const all = [...(omit === undefined ? [] : [omit]), ...(burst ? [] : ["^header\\..*rate-?limit"])];
  return all.length === 0 ? undefined : new RegExp(all.join("|"));
}

/** Removes the webhook endpoint that a comparison which ended early had registered; says what became of it. */
async function removeEndpoint(service: Side, probes: readonly Probe[]): Promise<string | undefined> {
  const id = service.value("createWebhook.webhook_id");
  const isRemoved = async () => {
    const answer = await service.call(probes.find(({ operation }) => operation === "deleteWebhook")!);
    return isJsonObject(answer?.body) && answer.observation.status < 300;
  };
  if (id === undefined || (service.observations.deleteWebhook?.status ?? 400) < 300) return undefined;
  service.signal = undefined;
  return (await isRemoved().catch(() => false))
    ? "The webhook endpoint that was registered there is removed again"
    : `The webhook endpoint ${id} that was registered there is left: remove it`;
}

async function callService(service: Side, probe: Probe, document: Json): Promise<Answer | undefined> {
  const answer = await service.call(probe);
  if (answer === undefined) return undefined;
  refuseUnusable(probe, answer, service.calls);
  const { status } = answer.observation;
  return status === 404 && !probe.bad ? ((await guessPath(service, probe, document)) ?? answer) : answer;
}

async function guessPath(service: Side, probe: Probe, document: Json): Promise<Answer | undefined> {
  const before = service.observations[probe.id]!;
  for (const path of guessPaths(probe.path.split("?")[0]!, Object.keys(document.paths))) {
    if (service.spareCalls-- <= 0) break;
    service.paths.set(probe.operation, path);
    const answer = await service.call(probe);
    if (answer !== undefined && answer.observation.status < 300) {
      const { status, fields } = answer.observation;
      service.observations[probe.id] = { status, fields: { ...fields, path: `text: ${path}` } };
      return answer;
    }
  }
  service.paths.delete(probe.operation);
  service.observations[probe.id] = before;
  return undefined;
}

/** Reads a payment until it is final, with pauses. */
async function waitForPayments(service: Side | undefined, probes: readonly Probe[]): Promise<void> {
  const probe = probes.filter(({ when, operation }) => when === "paid" && operation === "getCharge").at(-1);
  if (service === undefined || probe === undefined) return;
  for (let poll = 1; poll < POLLS_MAX; poll++) {
    const answer = await service.call(probe);
    if (answer !== undefined) refuseUnusable(probe, answer, service.calls);
    const status = isJsonObject(answer?.body) ? String(answer.body.status) : "";
    if (answer === undefined || PAYMENT_ENDS.test(status)) return;
    await pause(1_000 + 500 * poll);
  }
}

/** Charge id → the probe that made it. */
function paymentsOf(side: Side): Map<string, string> {
  const names = Object.keys(side.observations).filter((name) => name.startsWith("createWhitelabel "));
  return new Map(
    names.flatMap((name) => {
      const id = side.value(`${name}.charge_id`);
      return id === undefined ? [] : [[id, name.replace("createWhitelabel ", "")] as const];
    }),
  );
}

async function observeEvents(
  { received }: RunOptions,
  live: Side | undefined,
  own: OwnSide,
  twin: OwnSide,
  left: string[],
): Promise<void> {
  const observeAt = (side: Side, webhooks: readonly ReceivedWebhook[], slackMs = 0) => {
    const secret = side.value("createWebhook.secret");
    const payments = received === undefined ? paymentsOf(side) : undefined;
    Object.assign(
      side.observations,
      observeWebhooks(webhooks, payments, { seen: side.seen, secret, slackMs }),
    );
  };
  for (const { side, advance } of [own, twin]) {
    await advance(AFTERWARDS_S);
    observeAt(side, side.inbox!.received);
  }
  if (live === undefined) return;
  const { inbox } = live;
  const wanted = own.side.inbox!.received.length;
  const quietSinceMs = () => Math.max(startedMs, inbox?.received.at(-1)?.atMs ?? 0);
  const startedMs = systemWallClock.nowMs();
  while (
    inbox !== undefined &&
    inbox.received.length < wanted &&
    systemWallClock.nowMs() - quietSinceMs() < RETRY_MAX_MS
  )
    await pause(200);
  const webhooks = received ?? inbox?.received;
  const slackMs = live.slowestMs + (SLACK_CALLS * live.waitedMs) / live.calls;
  if (webhooks !== undefined) observeAt(live, webhooks, slackMs);
  if (
    inbox !== undefined &&
    (slackMs > SLACK_MAX_MS || isRetryUnsure(live.observations, own.side.observations))
  )
    left.push("the first retry: the service is too slow to tell");
}

/** Calls until the limit, or as often as it may; the calls of the probes count, if all were made in one window of the limit. */
async function compareLimits(
  service: Side | Recording,
  own: Side,
  probes: readonly Probe[],
  left: string[],
): Promise<Difference[]> {
  const probe = { ...probes.find(({ operation }) => operation === "getOrganization")!, id: "burst" };
  const limitOf = async (side: Side, mayGoOn: () => boolean): Promise<string> => {
    while (mayGoOn())
      if ((await side.call(probe))?.observation.status === 429) return String(side.keyedCalls - 1);
    return `over ${side.keyedCalls}`;
  };
  if (service instanceof Side) {
    const limit = `text: ${await limitOf(service, () => service.calls < CALLS_MAX)}`;
    delete service.observations.burst;
    if (systemWallClock.nowMs() - service.firstCallMs! <= WINDOW_MS)
      service.observations.limit = { status: 0, fields: { "rate limit": limit } };
  }
  const recorded = (service instanceof Side ? service.observations : service).limit;
  if (recorded === undefined) left.push("the rate limit: the calls took longer than its window of a minute");
  const theirs = valueOfToken(recorded?.fields["rate limit"] ?? "");
  if (theirs === undefined) return [];
  const reach = Number(/\d+/.exec(theirs)![0]) + (theirs.startsWith("over") ? 0 : 1);
  const ours = await limitOf(own, () => own.keyedCalls < reach);
  return theirs === ours || (theirs.startsWith("over") && ours.startsWith("over"))
    ? []
    : [{ operation: "getOrganization", field: "rate limit", kind: "value", theirs, ours, probe: "burst" }];
}
