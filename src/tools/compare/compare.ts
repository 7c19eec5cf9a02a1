import { isJsonObject } from "../../core/schema/json-objects.js";
import { systemWallClock } from "../../core/time/wall-clock.js";
import type { Difference } from "./differences.js";
import { decidesOf, type Explained, explain } from "./explain.js";
import { mergeRepairs, type Repair, splitRepairs } from "./repairs.js";
import { CALLS_MAX, type ComparedSandbox, type RunResult, runProbes } from "./run.js";
import type { Recording } from "./shape.js";
import { Side, sendToService, stopped } from "./side.js";
import type { Inbox, ReceivedWebhook } from "./webhooks.js";
import { pathOnWire } from "./wire-repairs.js";

export { merge, type Repair, renamesOf } from "./repairs.js";
export type { ComparedSandbox } from "./run.js";
export { openInbox, type ReceivedWebhook } from "./webhooks.js";

/** A domain that nobody can have (RFC 2606). */
const NOWHERE = "https://payments-sandbox.invalid/webhooks";

export interface CompareOptions {
  readonly service:
    | { readonly url: string; readonly key: string }
    | { readonly recording: RecordedComparison };
  /** Opens a sandbox of the user's config with this repair, on a clock that stands still. */
  readonly open: (seed: string, repair: Repair) => Promise<ComparedSandbox>;
  readonly listen?: { readonly url: string; readonly inbox: Inbox } | undefined;
  readonly received?: readonly ReceivedWebhook[] | undefined;
  readonly payouts: boolean;
  readonly burst: boolean;
  /** Ends the comparison before the next call to the service. */
  readonly signal?: AbortSignal | undefined;
  readonly repair: boolean;
}

export interface ReportedDifference extends Omit<Difference, "probe"> {
  readonly decides: readonly string[];
  /** Lines of the config or the fixtures that follow it; null if there are none. */
  readonly follow: Repair | null;
  readonly at: readonly string[];
  /** Gone in a run with the repairs. */
  readonly followed?: boolean;
}

/** The part that may be committed: the service's answers by shape, and the assumptions and rules that they bear out or not. */
export interface RecordedComparison {
  readonly recorded: string;
  readonly confirmed: readonly string[];
  readonly contradicted: readonly string[];
  readonly observations: Recording;
}

export interface Comparison {
  readonly calls: number;
  readonly differences: readonly ReportedDifference[];
  /** Parts that were not compared, and why. */
  readonly left: readonly string[];
  readonly recording: RecordedComparison;
  readonly repair: Repair;
}

/** @throws UserError if the service cannot be compared */
export async function compare(options: CompareOptions): Promise<Comparison> {
  const { service, listen } = options;
  const live =
    "url" in service
      ? new Side({
          ...service,
          send: sendToService,
          inbox: listen?.inbox,
          webhookUrl: listen?.url ?? NOWHERE,
        })
      : undefined;
  if (live !== undefined) live.signal = options.signal;
  const run = (from: Side | Recording, repair: Repair) =>
    runProbes({ ...options, service: from, open: (seed) => options.open(seed, repair) });
  const first = await run(live ?? ("recording" in service ? service.recording.observations : {}), {});
  const explained = explain(first);
  const again = async (repair: Repair) => {
    if (options.signal?.aborted) throw stopped("it was interrupted");
    return run(first.recording, repair);
  };
  const { repair, left } = options.repair
    ? await findRepairs(explained, again)
    : { repair: {}, left: undefined };
  if (options.signal?.aborted) throw stopped("it was interrupted");
  return {
    calls: live?.calls ?? 0,
    differences: grouped(first, explained, left),
    left: [...leftOut(options, first), ...first.left],
    recording: recordingOf(first, explained),
    repair,
  };
}

const keyOf = ({ probe, field, kind }: Difference) => `${probe} ${field} ${kind}`;

/** Keeps the repairs after which their differences are gone and no other is there: all, or one by one. */
async function findRepairs(
  explained: readonly Explained[],
  again: (repair: Repair) => Promise<RunResult>,
): Promise<{ repair: Repair; left: ReadonlySet<string> }> {
  const parts = splitRepairs(explained.flatMap(({ repair }) => repair ?? []));
  let kept: Repair[] = [];
  let left = new Set(explained.map(keyOf));
  const isKept = async (tried: readonly Repair[], isWhole: boolean): Promise<boolean> => {
    const { differences } = await again(mergeRepairs([...kept, ...tried])).catch(() => ({
      differences: undefined,
    }));
    if (differences === undefined) return false;
    const now = new Set(differences.map(keyOf));
    const isWorse = [...now].some((key) => !left.has(key));
    const repaired = explained.filter((one) => one.repair !== undefined).map(keyOf);
    if (isWorse || (isWhole ? repaired.some((key) => now.has(key)) : now.size >= left.size)) return false;
    kept = [...kept, ...tried];
    left = now;
    return true;
  };
  if (parts.length > 0 && !(await isKept(parts, true))) for (const part of parts) await isKept([part], false);
  return { repair: mergeRepairs(kept), left };
}

function grouped(
  run: RunResult,
  explained: readonly Explained[],
  left: ReadonlySet<string> | undefined,
): ReportedDifference[] {
  const groups = new Map<string, ReportedDifference & { at: string[] }>();
  for (const one of explained) {
    const { repair, probe, ...shown } = one;
    const isFollowed = left === undefined ? {} : { followed: !left.has(keyOf(one)) };
    const place = pathOnWire(one.field, run.ours[probe]?.fields ?? {});
    const key = JSON.stringify([{ ...shown, field: place, decides: [] }, repair, isFollowed]);
    const group = groups.get(key);
    if (group === undefined)
      groups.set(key, { ...shown, follow: repair ?? null, at: [probe], ...isFollowed });
    else if (!group.at.includes(probe)) group.at.push(probe);
  }
  return [...groups.values()];
}

function leftOut(
  { listen, received, payouts, burst, service }: CompareOptions,
  { recording }: RunResult,
): string[] {
  const isReplayed = "recording" in service;
  const hasEvents = Object.keys(recording).some((key) => key.startsWith("event "));
  return [
    "hosted pages: a customer has to press a button there",
    ...(listen === undefined && received === undefined && !(isReplayed && hasEvents)
      ? ["webhooks: give --listen URL or --received FILE"]
      : []),
    ...(listen !== undefined && !hasEvents ? [`webhooks: none arrived at ${listen.url}`] : []),
    ...(payouts || "createWithdrawal" in recording
      ? []
      : ["withdrawals: give --payouts to make one of test money"]),
    ...(burst ? [] : ["the rate limit: give --burst to look for it"]),
  ];
}

function recordingOf(run: RunResult, explained: readonly Explained[]): RecordedComparison {
  const { recording, ours, probes } = run;
  const contradicted = new Set(explained.flatMap(({ decides }) => decides));
  const byId = new Map(probes.map((probe) => [probe.id, probe]));
  const alike = Object.entries(recording).flatMap(([id, { status, fields }]) => {
    const [probe, own] = [byId.get(id), ours[id]];
    if (own === undefined) return [];
    const same = Object.keys(fields).filter((field) => own.fields[field] === fields[field]);
    const place = { operation: probe?.operation ?? id, kind: "value", theirs: "", ours: "" } as const;
    const accepted = status === own.status ? (probe?.decides ?? []) : [];
    return [...accepted, ...same.flatMap((field) => decidesOf({ ...place, field }, probe, run))];
  });
  return {
    recorded: new Date(systemWallClock.nowMs()).toISOString().slice(0, 10),
    confirmed: dashed([...new Set(alike)].filter((one) => !contradicted.has(one))),
    contradicted: dashed([...contradicted]),
    observations: recording,
  };
}

/** Numbers of rules with a dash, so that none looks like an amount. */
const dashed = (numbers: readonly string[]) => numbers.map((number) => number.replace(".", "-")).sort();

export function isRecording(value: unknown): value is RecordedComparison {
  return isJsonObject(value) && isJsonObject(value.observations);
}

export { CALLS_MAX };
