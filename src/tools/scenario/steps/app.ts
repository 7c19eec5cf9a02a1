import * as z from "zod/mini";
import { pickFields } from "../../../core/schema/descriptions.js";
import { parseJsonOrText } from "../../../core/schema/json-objects.js";
import { callSchema, commandSchema } from "../../../core/schema/scenario-file.js";
import { durationSchema, durationToMs } from "../../../core/schema/time.js";
import { loadLazily } from "../../../core/time/load-lazily.js";
import { systemWallClock } from "../../../core/time/wall-clock.js";
import {
  type CallResponse,
  callWithTimeout,
  type NoResponseReason,
  networkErrorReason,
} from "../running/client.js";
import type { RunContext } from "../running/context.js";
import { CannotRunError, StepFailure } from "../running/failure.js";
import { callResult, checkCallResult } from "./check-response.js";
import { type CallContent, DEFAULT_CALL_TIMEOUT, encodeContent, splitCall } from "./request.js";
import {
  callStepFields,
  defineStep,
  type ExpectedResponse,
  resultSchema,
  stepSchema,
  textSchema,
} from "./step-definition.js";

const MAX_TRIES = 100;
const TRIES = `must be 1 to ${MAX_TRIES}`;
/** Shortest and longest pause between two polls. The pause grows with the time since the last changed response. */
const POLL_MS = { min: 20, max: 200 } as const;

export const app = defineStep(["checks", "ignores_start", "own_customer"], {
  description: "A call of the app under test (--app): METHOD /path.",
  result: () => resultSchema(z.unknown()),
  schema: stepSchema({
    app: callSchema,
    ...callStepFields,
    tries: z.optional(z.int("must be a whole number").check(z.gte(1, TRIES), z.lte(MAX_TRIES, TRIES))),
    steady: z.optional(durationSchema),
  }),
  run: readApp,
});

export const run = defineStep(["checks", "ignores_start", "own_customer"], {
  description:
    "A command that prints the app's state, as JSON or as lines of text; only the command line runs commands.",
  result: () => resultSchema(z.unknown()),
  schema: stepSchema({
    run: commandSchema,
    ...pickFields(callStepFields, "expect", "save", "within"),
    steady: z.optional(durationSchema),
  }),
  run: readApp,
});

interface AppStep extends CallContent {
  readonly app?: string;
  /** A command whose output stands for the body of a response. */
  readonly run?: string;
  readonly expect?: ExpectedResponse | undefined;
  readonly within?: string | undefined;
  readonly tries?: number | undefined;
  readonly steady?: string | undefined;
}

async function readApp(step: AppStep, context: RunContext): Promise<object> {
  const { tries = 1, steady } = step;
  if (steady !== undefined) return callResult(await pollUntilSteady(step, context, durationToMs(steady)));
  for (let left = tries; ; left--)
    try {
      return callResult(await callAndCheck(step, context));
    } catch (error) {
      if (!(error instanceof StepFailure) || left === 1) throw error;
    }
}

export const ONLY_ON_COMMAND_LINE = "only the command line runs commands";

/** The output as the body of a response: JSON, or else its lines. */
async function printedState(
  command: string,
  { runCommand }: RunContext,
  withinMs: number,
): Promise<CallResponse> {
  if (runCommand === undefined) throw new CannotRunError(ONLY_ON_COMMAND_LINE);
  const text = (await runCommand(command, withinMs)).trimEnd();
  const body = parseJsonOrText(text);
  return { status: 200, headers: {}, body: body === text ? text.split("\n") : body };
}

async function callAndCheck(step: AppStep, context: RunContext): Promise<CallResponse | NoResponseReason> {
  const { app, run, expect, within = DEFAULT_CALL_TIMEOUT } = step;
  const withinMs = durationToMs(within);
  const answer =
    run === undefined
      ? await callAppUnderTest(context, app!, step, withinMs, expect?.dropped)
      : await printedState(run, context, withinMs);
  checkCallResult(expect, answer, withinMs);
  return answer;
}

/** Repeats the call while the app may still be working: until the response meets `expect` or stays the same. */
async function pollUntilSteady(
  step: AppStep,
  context: RunContext,
  steadyMs: number,
): Promise<CallResponse | NoResponseReason> {
  const { expect, within = DEFAULT_CALL_TIMEOUT } = step;
  const startedMs = systemWallClock.nowMs();
  let last: { readonly text: string; readonly sinceMs: number } | undefined;
  let hasRepeated = false;
  for (let reads = 1; ; reads++) {
    const got = await callAndCheck(step, context).catch((error) => asFailure(error));
    const nowMs = systemWallClock.nowMs();
    if (!(got instanceof StepFailure) && expect !== undefined) return got;
    // Ignores server errors for a limited time. An app that returns only server errors fails the step in the end.
    const isError = got instanceof StepFailure && isServerError(got);
    if (isError && nowMs - startedMs < Math.min(MAX_TIMES * steadyMs, durationToMs(within))) {
      await pause(POLL_MS.min);
      continue;
    }
    const text =
      got instanceof StepFailure ? JSON.stringify(got.failure.got ?? got.message) : comparableText(got);
    hasRepeated ||= last?.text === text;
    if (last?.text !== text) last = { text, sinceMs: nowMs };
    const isNewEachTime = !hasRepeated && reads > MAX_NEW_READS && nowMs - startedMs > MAX_TIMES * steadyMs;
    const isSettled = nowMs - last.sinceMs >= steadyMs || isNewEachTime;
    const isOver = isSettled || nowMs - startedMs >= durationToMs(within);
    if (isOver && got instanceof StepFailure) throw got;
    if (isOver) return got as CallResponse | NoResponseReason;
    const sameMs = nowMs - last.sinceMs;
    const { min, max } = POLL_MS;
    const waitMs = Math.max(min, Math.min(sameMs / 2, max, steadyMs - sameMs));
    await pause(waitMs);
  }
}

/** Number of reads after which a response that is new each time is taken to change by being read. */
const MAX_NEW_READS = 20;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void systemWallClock.after(ms, resolve));
}

/** Maximum time for which server errors are ignored, and new responses awaited, in multiples of the steady duration. */
const MAX_TIMES = 4;

function isServerError({ failure: { got } }: StepFailure): boolean {
  return Number((got as { readonly status?: unknown } | undefined)?.status) >= 500;
}

function asFailure(error: unknown): StepFailure {
  if (error instanceof StepFailure) return error;
  throw error;
}

/** Leaves out headers, which contain the time. */
function comparableText(answer: CallResponse | NoResponseReason): string {
  return typeof answer === "string" ? answer : JSON.stringify([answer.status, answer.body]);
}

/** @param mayBeCut if true, a cut connection returns `dropped`; if false, a cut connection fails the step */
export async function callAppUnderTest(
  context: RunContext,
  call: string,
  content: CallContent,
  withinMs: number,
  mayBeCut = false,
): Promise<CallResponse | NoResponseReason> {
  if (context.app === undefined)
    throw new CannotRunError("this step calls the app under test: give its URL with --app");
  await context.untilAppIsUp?.();
  const { method, path } = splitCall(call);
  const { headers, body } = encodeContent(content, {});
  const url = `${context.app}${path}`;
  // Loaded on demand: `validate` calls no app.
  const { callUrl } = await loadLazily(() => import("../../../core/delivery/outgoing-http.js"));
  try {
    return await callWithTimeout(withinMs, context.client.signal, (signal) =>
      callUrl(new URL(url), { method, headers, body, signal, connections: context.connections }),
    );
  } catch (error) {
    if (error instanceof StepFailure) throw error;
    if (mayBeCut && wasCut(error)) return "dropped";
    throw new StepFailure({ message: `the app did not respond at ${url}: ${networkErrorReason(error)}` });
  }
}

/** Returns false if no connection was made, because the app is down or the request is invalid. */
function wasCut(error: unknown): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return !/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ERR_INVALID_.*|ERR_UNESCAPED_.*)$/.test(code);
}

export const manual = defineStep(["ignores_start"], {
  description: "Something a person has to do; without a terminal the run continues.",
  schema: stepSchema({ manual: textSchema }),
  run: async ({ manual }, context) => {
    await context.requestManualStep(manual);
    return null;
  },
});
