import type { RunPlan } from "../run-plan.js";
import { IdleError } from "./driver.js";

/** Calls a function of the flow, which may throw before it returns a promise. */
export async function call<Result>(act: () => Result): Promise<Awaited<Result>> {
  return await act();
}

/** Waits for work that may fail, but not without end. */
export async function settled(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (error instanceof IdleError) throw error;
  });
}

/** Returns true if an app may refuse a press: by a status, or because the payment ends otherwise, or is heard of late. */
export function mayRefuse(plan: RunPlan, hasPaid: boolean, error: unknown): boolean {
  if (error instanceof IdleError) return false;
  const status = statusOf(error);
  if (status !== undefined) return status >= 400 && status < 500;
  return hasPaid && (plan.changesPayment || plan.isHeardLate);
}

/** The HTTP status that clients give their errors. */
export function statusOf(error: unknown): number | undefined {
  const { status, statusCode, response } = Object(error) as Record<string, unknown>;
  const all = [status, statusCode, (response as { readonly status?: unknown } | undefined)?.status];
  return all.find((one): one is number => typeof one === "number" && one >= 400 && one < 600);
}
