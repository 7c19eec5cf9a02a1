import { isJsonObject } from "../../../core/schema/json-objects.js";
import { isDecimal, isMatcher } from "../../../core/schema/matcher-words.js";
import { durationToMs } from "../../../core/schema/time.js";
import { JOB_INTERVAL, newestCharge, type RunHost } from "../course.js";
import type { ObservedCharge } from "../run-record.js";
import type { Baseline } from "./facts.js";
import { type Flow, findPresses } from "./flow.js";
import type { Failing, FileVariant, FlowVariant } from "./flow-variant.js";
import { cancelThenPayStep, findPages, mustPayReason, unpaidStep } from "./payment-steps.js";
import { fieldAt, mapTexts, PRESENT, RUN_ID } from "./views.js";

/*
 * After a payment that failed, the customer orders and pays once more, with the same coupon, of the same stock. The ids
 * that the first try is the first to name are new in the second.
 */

/** Sandbox time after the expiry of a charge, in which the app hears of it. */
const MARGIN_MS = durationToMs("10m");
/** Ending of the ids of the second try. */
export const AGAIN = "-2";

/** Returns true if the one payment of a flow can fail without a step of the flow. */
export function canFail([charge, ...others]: readonly ObservedCharge[]): boolean {
  return charge?.status === "COMPLETED" && others.length === 0 && (charge.isHosted || charge.isAutomatic);
}

export function secondTries(
  flow: Flow,
  baseline: Baseline,
  charges: readonly ObservedCharge[],
): FileVariant[] {
  const first = findPresses(flow)[baseline.pressMatches.findIndex((one) => one !== undefined)];
  if (!canFail(charges) || first === undefined || mustPayReason(flow) !== undefined) return [];
  const begin = flow.drive.indexOf(first);
  const pages = findPages(flow);
  const end = flow.drive.findIndex(
    (step, index) => index > begin && (step.advance !== undefined || pages.includes(step)),
  );
  if (end === -1) return [];
  const step = flow.drive[end]!;
  const again = namingAnew(flow, begin);
  return secondTriesOf(pages.includes(step)).map((variant) => {
    const unpaid = variant.failing === "cancelled" ? cancelThenPayStep(step) : unpaidStep(step);
    const first = [...flow.drive.slice(0, end), ...(pages.includes(step) ? [unpaid] : [])];
    const second = {
      ...flow,
      drive: [...first, ...again(flow.drive.slice(begin))],
      secondTry: first.length,
      observe: again(flow.observe),
      never: again(flow.never),
      checks: [],
    };
    return { ...variant, flow: second };
  });
}

/** @param hasPage the customer pays on a page of the service, and can cancel it */
export function secondTriesOf(hasPage: boolean): FlowVariant[] {
  const ends: readonly Failing[] = ["declined", "expired", ...(hasPage ? (["cancelled"] as const) : [])];
  return ends.map((failing) => ({
    kind: "tried_again",
    at: `charge#1 ${failing}`,
    when: `when the customer tries again after a payment that is ${failing}`,
    failing,
    mayBeRefused: false,
    expectedOf: expectedAgain,
    mayPayMore: true,
  }));
}

/** Ends the payment that is under way, as far as the customer has not, and lets the app hear of it. */
export async function failPayment(host: RunHost, failing: Failing, payableMs: number): Promise<void> {
  if (failing !== "cancelled") {
    const charge = await newestCharge(host);
    if (charge === undefined) throw new Error("no charge whose payment could fail");
    const move = { charge_id: charge.charge_id, to: failing === "declined" ? "FAILED" : "EXPIRED" };
    await host.others(({ client }) => client.callOrFail("transitionCharge", move));
  }
  await host.advance(failing === "expired" ? payableMs + MARGIN_MS : durationToMs(JOB_INTERVAL));
  await host.tick();
}

/**
 * Gives new names to what the steps from `begin` on are the first to name by the run's id. The customer, and what earlier
 * steps have made, such as a coupon, keep theirs.
 */
function namingAnew({ raw, drive }: Flow, begin: number): <Part>(part: Part) => Part {
  const earlier = JSON.stringify(drive.slice(0, begin));
  const variables = Object.entries(isJsonObject(raw.vars) ? raw.vars : {})
    .filter(([, value]) => typeof value === "string" && value.includes(RUN_ID) && !value.includes("@"))
    .map(([name]) => `\${${name}}`)
    .filter((name) => !earlier.includes(name));
  const renamed = (text: string) => {
    const isPart = text.includes("@") || earlier.includes(text);
    const all = isPart ? variables : [RUN_ID, ...variables];
    return all.reduce((known, name) => known.replaceAll(name, `${name}${AGAIN}`), text);
  };
  return (part) => mapTexts(part, renamed) as typeof part;
}

/** The second try is as a plain run; a number or a list may also have what the first try has left. */
function expectedAgain(plain: unknown, unpaid: unknown, path: readonly string[] = []): unknown {
  if (typeof plain === "string" && !isDecimal(plain))
    return plain.includes(RUN_ID) ? { in: [plain, plain.replaceAll(RUN_ID, `${RUN_ID}${AGAIN}`)] } : plain;
  if (Array.isArray(plain)) return PRESENT;
  if (typeof plain === "number" || typeof plain === "string") {
    const [before, after] = [fieldAt(unpaid, path), plain].map(Number);
    if (Number.isNaN(before) || before === after) return PRESENT;
    return before! < after! ? { gt: before } : { lt: before };
  }
  if (!isJsonObject(plain) || isMatcher(plain)) return plain;
  return Object.fromEntries(
    Object.entries(plain).map(([key, part]) => [
      key,
      expectedAgain(part, unpaid, [...path, key.replace(/^\\/, "")]),
    ]),
  );
}
