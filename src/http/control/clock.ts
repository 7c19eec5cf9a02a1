import type { ClockRequest } from "../../namespace/clock-control.js";
import { advanceRequestSchema, clockRequestSchema, waitQuerySchema } from "../../schema/control.js";
import { durationMs } from "../../schema/duration.js";
import { invalid, isRefusal, type Refusal } from "../../schema/errors.js";
import { check, issueDetails } from "../../schema/issues.js";
import { type ClockSetting, clockSetting, runningAt } from "../../schema/options.js";
import { parseInstant } from "../../schema/time.js";
import { readQuery } from "../query.js";
import { ok, type Reply } from "../reply.js";
import type { ControlCall } from "./operations.js";

export function getClock({ namespace }: ControlCall): Reply {
  return ok(namespace.clock.view());
}

/** Waits for an advance that is under way, if the caller would rather wait than be told it is busy. */
export async function waitForClock({ namespace, url }: ControlCall): Promise<Refusal | undefined> {
  const read = readQuery(waitQuerySchema, url);
  if (isRefusal(read)) return read;
  if (read.query.wait !== undefined) await namespace.clock.idle(durationMs(read.query.wait));
  return undefined;
}

export async function putClock(call: ControlCall): Promise<Reply | Refusal> {
  const { namespace, body } = call;
  const checked = check(clockRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const refusal = await waitForClock(call);
  if (refusal !== undefined) return refusal;
  const { mode, speed, now } = checked.data;
  const request: ClockRequest = {
    setting: settingOf(mode, speed),
    nowMs: now === undefined ? undefined : parseInstant(now),
  };
  if (request.nowMs !== undefined && request.nowMs < namespace.nowMs())
    return invalid({ now: "must not be earlier than the time it is" });
  const refused = await namespace.clock.set(request);
  return refused ?? ok(namespace.clock.view());
}

export async function advanceClock(call: ControlCall): Promise<Reply | Refusal> {
  const { namespace, body } = call;
  const checked = check(advanceRequestSchema, body);
  if (!checked.ok) return invalid(issueDetails(checked.issues));
  const waited = await waitForClock(call);
  if (waited !== undefined) return waited;
  const { by, to, until } = checked.data;
  if (until !== undefined) return reply(await namespace.clock.advance({ until }));
  if (by !== undefined) return reply(await namespace.clock.advance({ byMs: durationMs(by) }));
  const toMs = parseInstant(to!)!;
  if (toMs < namespace.nowMs()) return invalid({ to: "must not be earlier than the time it is" });
  return reply(await namespace.clock.advance({ toMs }));
}

/** A speed is that of a running clock; on its own it makes the clock run. */
function settingOf(mode: string | undefined, speed: number | undefined): ClockSetting | undefined {
  if (mode === "manual") return clockSetting(mode);
  if (speed !== undefined) return runningAt(speed);
  return mode === undefined ? undefined : clockSetting(mode);
}

function reply(result: Refusal | object): Reply | Refusal {
  return isRefusal(result) ? result : ok(result);
}
