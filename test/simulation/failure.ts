/** Rules that the auditor checks; `lies.test.ts` breaks each of them. */
export type Rule =
  | "answer"
  | "time"
  | "transition"
  | "charge"
  | "withdrawal"
  | "price"
  | "balance"
  | "posting"
  | "one event each"
  | "event"
  | "delivery"
  | "ladder"
  | "too early"
  | "signature"
  | "quote"
  | "idempotency"
  | "ids"
  | "list"
  | "fault"
  | "export";

export class AuditFailure extends Error {
  readonly rule: Rule;

  constructor(rule: Rule, message: string) {
    super(`${rule}: ${message}`);
    this.rule = rule;
  }
}

export function demand(holds: boolean, rule: Rule, message: () => string): asserts holds {
  if (!holds) throw new AuditFailure(rule, message());
}

/** Throws with the first difference when the values are not equal. */
export function demandSame(rule: Rule, what: string, seen: unknown, expected: unknown): void {
  const [a, b] = [seen, expected].map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  if (a === b) return;
  let at = 0;
  while (a !== undefined && b !== undefined && at < a.length && a[at] === b[at]) at++;
  const around = (text: string | undefined) => text?.slice(Math.max(0, at - 80), at + 160);
  throw new AuditFailure(rule, `${what}\n  is       …${around(a)}\n  expected …${around(b)}`);
}
