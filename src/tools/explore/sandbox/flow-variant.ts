import { compareAmounts, subtract } from "../../../core/domain/money.js";
import { isJsonObject } from "../../../core/schema/json-objects.js";
import type { RunFailure, Trace } from "../deviable.js";
import type { DeviationKind } from "../deviation-set.js";
import { countCompletedPayments } from "../judge.js";
import type { Bodies } from "./claims.js";
import type { Flow } from "./flow.js";
import { isCheck } from "./run-failure.js";
import { fieldAt, fieldsIn } from "./views.js";

/** The flow with another value, or with a second try. It ends as a plain run but for what follows from that. */
export interface FlowVariant {
  readonly kind: Extract<DeviationKind, "awkward_value" | "tried_again">;
  /** Place of the deviation. */
  readonly at: string;
  /** What differs, as the beginning of a sentence. */
  readonly when: string;
  /** Selects the charges of the run, beside what selects those of a plain run. */
  readonly chargeMatch?: Readonly<Record<string, unknown>>;
  /** The app may refuse the variant if it says why. */
  readonly mayBeRefused: boolean;
  /**
   * Returns what a view must show.
   *
   * @param plain what it shows in a plain run, without the run's id
   * @param unpaid what it shows of an order that nobody has paid; undefined if that is not known
   */
  readonly expectedOf: (plain: unknown, unpaid: unknown) => unknown;
  /** Returns what the app must charge instead of a price of a plain run; undefined if that is not known. */
  readonly priceOf: (price: string) => string | undefined;
  /** Number of entries of a list that the flow gives to the app, in a plain run and in the variant. */
  readonly entries?: readonly [plain: number, varied: number];
}

/** A variant of the flow of a file. */
export interface FileVariant extends FlowVariant {
  readonly flow: Flow;
}

/** What plain, unpaid and this run of the variant show. */
interface Shown {
  readonly plain: Bodies;
  /** The app at each end without a payment, and before and during a payment. */
  readonly unpaid: readonly Bodies[];
  readonly seen: Bodies | undefined;
  readonly plainCharges: Trace["observed"]["charges"];
  readonly runId: string;
}

/** Says how a run of a variant has failed: a refusal with a reason is no failure, and lost money is named. */
export function variantFailure(
  variant: FlowVariant,
  { failure, observed }: Trace,
  shown: Shown,
): RunFailure | undefined {
  if (failure?.isIncomplete === true) return failure;
  if (failure !== undefined && !isCheck(failure.role)) return refusalIn(variant, failure, shown);
  return (
    lossIn(variant, observed, shown) ??
    (failure === undefined ? shortList(variant, shown) : named(variant, failure, shown))
  );
}

/** The title of a step without what every call to the app has, and without the run's id. */
function titleOf({ title = "" }: RunFailure, { runId }: Pick<Shown, "runId">): string {
  return title.replace(/^app /, "").replaceAll(runId, "…");
}

function failing(role: "money" | "convergence" | "liveness", title: string, message: string): RunFailure {
  return { isIncomplete: false, role, title, message, isCallToApp: false, differences: [] };
}

function refusalIn(
  { when, mayBeRefused }: FlowVariant,
  failure: RunFailure,
  shown: Shown,
): RunFailure | undefined {
  const { body, differences, ending } = failure;
  const title = `${when}, ${titleOf(failure, shown)}`;
  const got = differences.find(({ path }) => path === "status")?.got;
  if (ending !== undefined || got === undefined) return { ...failure, title };
  const reason = reasonIn(body);
  if (mayBeRefused && !(Number(got) >= 500) && reason !== undefined) return undefined;
  const response = Number.isNaN(Number(got)) ? String(got) : `the app responds ${got}`;
  return failing("liveness", title, `${response}${reason === undefined ? "" : `: ${reason}`}`);
}

const MAX_REASON = 120;

/** The first text of a response, which says why the app refuses; undefined without any. */
function reasonIn(body: unknown): string | undefined {
  const texts = Array.isArray(body) || isJsonObject(body) ? Object.values(body) : [body];
  for (const text of texts) {
    if (typeof text === "string" && text.trim() !== "") return text.trim().slice(0, MAX_REASON);
    const inner = typeof text === "object" && text !== null ? reasonIn(text) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** A payment that the app does not show, or of another amount than the app was told. */
function lossIn(
  variant: FlowVariant,
  { charges, withdrawals }: Trace["observed"],
  { plain, unpaid, seen, plainCharges }: Shown,
): RunFailure | undefined {
  const { when } = variant;
  const known = plainCharges.map(({ base }) => variant.priceOf(base.amount));
  const other = known.includes(undefined)
    ? undefined
    : charges.find(({ base }) => known.every((price) => compareAmounts(price!, base.amount) !== 0));
  if (other !== undefined) {
    const { amount, currency } = other.base;
    const isMisread = known.some((price) => isMisreading(price!, amount));
    const text = `the app charges ${amount} ${currency}, not ${[...new Set(known)].join(" or ")}`;
    return failing(isMisread ? "money" : "convergence", when, text);
  }
  const isPaid = countCompletedPayments(charges) >= countCompletedPayments(plainCharges);
  const isReturned = withdrawals.length > 0 || charges.some(({ status }) => status === "REFUNDED");
  if (!isPaid || countCompletedPayments(charges) === 0 || isReturned || seen === undefined) return undefined;
  const hidden = plain.findIndex(
    (body, index) =>
      isNothing(seen[index], body) || unpaid.some((bodies) => isAsUnpaid(seen[index], body, bodies[index])),
  );
  if (hidden === -1) return undefined;
  return failing("money", when, `paid, and the app shows nothing of it: ${excerptOf(seen[hidden])}`);
}

/** A price that is cut, rounded, or taken for another unit. */
function isMisreading(price: string, charged: string): boolean {
  const difference = subtract(price, charged).replace("-", "");
  const isRounded = compareAmounts(difference, "1") < 0;
  return isRounded || digitsOf(price) === digitsOf(charged);
}

function digitsOf(amount: string): string {
  return amount.replace(".", "").replace(/^0+|0+$/g, "");
}

function isNothing(seen: unknown, plain: unknown): boolean {
  return isEmpty(seen) && !isEmpty(plain);
}

/** Returns true if a view shows of an unpaid order all that it shows otherwise of a paid one. */
function isAsUnpaid(seen: unknown, plain: unknown, unpaid: unknown): boolean {
  const paid = fieldsIn(plain).filter(({ path, value }) => {
    const before = fieldAt(unpaid, path);
    return before !== undefined && JSON.stringify(before) !== JSON.stringify(value);
  });
  return (
    paid.length > 0 &&
    paid.every(({ path }) => JSON.stringify(fieldAt(seen, path)) === JSON.stringify(fieldAt(unpaid, path)))
  );
}

function isEmpty(body: unknown): boolean {
  if (body === undefined || body === null || body === "") return true;
  return typeof body === "object" && Object.keys(body).length === 0;
}

/** A list that shows only a part of the entries that the flow has given. */
function shortList({ entries, when }: FlowVariant, { plain, seen }: Shown): RunFailure | undefined {
  if (entries === undefined || seen === undefined) return undefined;
  const [few, many] = entries;
  const short = plain.flatMap((body, index) =>
    fieldsIn(body).flatMap(({ path, value }) => {
      const got = fieldAt(seen[index], path);
      const isPart = Array.isArray(got) && got.length > few && got.length < many;
      const isList = Array.isArray(value) && value.length === few;
      return isList && isPart ? [`${path.join(".")} has ${got.length} of ${many} entries`] : [];
    }),
  );
  return short[0] === undefined ? undefined : failing("convergence", when, short[0]);
}

/** A failed check in the words of the variant. More payments than in a plain run are judged as in every run. */
function named({ when }: FlowVariant, failure: RunFailure, shown: Shown): RunFailure {
  if (failure.role !== "observe") return failure;
  const texts = failure.differences.map(({ path, got }) => `${path} is ${JSON.stringify(got) ?? "missing"}`);
  const text = texts.length === 0 ? failure.message : texts.join(", ");
  return failing("convergence", `${when}, ${titleOf(failure, shown)}`, `unlike in a plain run, ${text}`);
}

function excerptOf(body: unknown): string {
  return (JSON.stringify(body) ?? "nothing").slice(0, MAX_REASON);
}
