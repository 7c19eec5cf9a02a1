import { compareAmounts, subtract } from "../../../core/domain/money.js";
import { isJsonObject } from "../../../core/schema/json-objects.js";
import { isMatcher } from "../../../core/schema/matcher-words.js";
import { formatCount } from "../../../core/schema/text-format.js";
import type { DeviationKind } from "../deviation-set.js";
import { countCompletedPayments } from "../judge.js";
import { failed, isCheck, type RunFailure, type Trace } from "../run-record.js";
import type { Bodies } from "./claims.js";
import type { Flow } from "./flow.js";
import { fieldAt, fieldsIn } from "./views.js";

/** How the first payment of a second try fails. */
export type Failing = "declined" | "expired" | "cancelled";

/** The flow with another value, or with a second try. It ends as a plain run but for what follows from that. */
export interface FlowVariant {
  readonly kind: Extract<DeviationKind, "awkward_value" | "tried_again">;
  readonly at: string;
  /** The difference, as the beginning of a sentence. */
  readonly when: string;
  /** Absent without a second try. */
  readonly failing?: Failing;
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
  /** The price that the app is told; absent if it is as in a plain run. */
  readonly told?: string;
  /** The price may be another than in a plain run. */
  readonly mayCostMore?: true;
  /** Other orders than that of the flow may be paid too. */
  readonly mayPayMore?: true;
  /** Number of entries of a list that the flow gives to the app, in a plain run and in the variant. */
  readonly entries?: readonly [plain: number, varied: number];
}

export interface FileVariant extends FlowVariant {
  readonly flow: Flow;
}

interface Shown {
  readonly plain: Bodies;
  /** The app at each end without a payment, and before and during a payment. */
  readonly unpaid: readonly Bodies[];
  readonly seen: Bodies | undefined;
  readonly plainCharges: Trace["observed"]["charges"];
  readonly wrongPrice: string | undefined;
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
  return failed("liveness", title, `${response}${reason === undefined ? "" : `: ${reason}`}`);
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

/** Another price than the app was told or shows, or a payment that no view shows. */
function lossIn(variant: FlowVariant, observed: Trace["observed"], shown: Shown): RunFailure | undefined {
  const { charges, withdrawals } = observed;
  const { plain, unpaid, seen, plainCharges, wrongPrice } = shown;
  const price = otherPrice(variant, charges, plainCharges);
  if (price !== undefined) return price;
  if (wrongPrice !== undefined) return failed("money", variant.when, wrongPrice);
  const paid = countCompletedPayments(charges);
  const isReturned = withdrawals.length > 0 || charges.some(({ status }) => status === "REFUNDED");
  if (paid === 0 || paid < countCompletedPayments(plainCharges) || isReturned || seen === undefined)
    return undefined;
  const hidden = plain.map((body, index) => {
    const before = unpaid.map((bodies) => bodies[index]);
    return isHidden(seen[index], body, before);
  });
  if (!hidden.includes(true) || hidden.includes(false)) return undefined;
  const text = excerptOf(seen[hidden.indexOf(true)]);
  return failed("money", variant.when, `paid, and the app shows nothing of it: ${text}`);
}

function otherPrice(
  { when, told, mayCostMore }: FlowVariant,
  charges: Shown["plainCharges"],
  plainCharges: Shown["plainCharges"],
): RunFailure | undefined {
  const prices = told === undefined ? plainCharges.map(({ base }) => base.amount) : [told];
  const isKnown = ({ base }: (typeof charges)[number]) =>
    prices.some((price) => compareAmounts(price, base.amount) === 0);
  const other = mayCostMore ? undefined : charges.find((charge) => !isKnown(charge));
  if (other === undefined) return undefined;
  const { amount, currency } = other.base;
  const role = told !== undefined && isMisreading(told, amount) ? "money" : "convergence";
  const text = `the app charges ${amount} ${currency}, not ${[...new Set(prices)].join(" or ")}`;
  return failed(role, when, text);
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

/**
 * Returns true for a view that shows none of its fields, or of all that only a payment brings what it shows of an unpaid
 * order; undefined if a payment changes nothing in it.
 */
function isHidden(seen: unknown, plain: unknown, unpaid: readonly unknown[]): boolean | undefined {
  if (isMatcher(plain)) return undefined;
  if (isNothing(seen, plain)) return true;
  const textAt = (body: unknown, path: readonly string[]) => JSON.stringify(fieldAt(body, path));
  const facts = fieldsIn(plain).filter(({ path, value }) =>
    unpaid.every((body) => textAt(body, path) !== JSON.stringify(value)),
  );
  if (facts.length === 0 || unpaid.length === 0) return undefined;
  return unpaid.some((body) => facts.every(({ path }) => textAt(seen, path) === textAt(body, path)));
}

function isNothing(seen: unknown, plain: unknown): boolean {
  const fields = fieldsIn(plain);
  const isMissing = (path: readonly string[]) =>
    path.length === 0 ? isEmpty(seen) && !isEmpty(plain) : fieldAt(seen, path) === undefined;
  return fields.length > 0 && fields.every(({ path }) => isMissing(path));
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
  return short[0] === undefined ? undefined : failed("convergence", when, short[0]);
}

/** A failed check in the words of the variant. */
function named({ when, mayPayMore }: FlowVariant, failure: RunFailure, shown: Shown): RunFailure {
  const { role, differences, message } = failure;
  const isCount = role === "paid" || role === "paid_out";
  if (role !== "observe" && !(isCount && mayPayMore)) return failure;
  if (isCount) {
    const paid = formatCount(
      Number(differences[0]?.got),
      `completed ${role === "paid" ? "charge" : "withdrawal"}`,
    );
    return failed("convergence", when, `${paid}, unlike in a plain run`);
  }
  const texts = differences.map(({ path, got }) => `${path} is ${JSON.stringify(got) ?? "missing"}`);
  const text = texts.length === 0 ? message : texts.join(", ");
  return failed("convergence", `${when}, ${titleOf(failure, shown)}`, `unlike in a plain run, ${text}`);
}

function excerptOf(body: unknown): string {
  return (JSON.stringify(body) ?? "nothing").slice(0, MAX_REASON);
}
