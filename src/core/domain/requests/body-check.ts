import type * as z from "zod/mini";
import { PHONE_MESSAGE } from "../../schema/common.js";
import type { CurrencyFixture } from "../../schema/fixtures-file.js";
import { issueMessage, issuePath, safeParse } from "../../schema/issues.js";
import { didYouMean } from "../../schema/nearest.js";
import { type ErrorDetails, type Refusal, refuseInvalid } from "../../schema/refusals.js";
import type { Catalogue } from "../catalogue.js";
import { decimalsOf, isZero, toCanonicalAmount } from "../money.js";

/** Collects the faults of a body by field, the schema's first, so that one response names all of them. */
export class BodyCheck<Body> {
  readonly #details = new Map<string, string>();
  readonly #raw: Record<string, unknown>;

  constructor(schema: z.ZodMiniType<Body>, body: unknown, faults: ErrorDetails = {}) {
    this.#raw = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
    const checked = safeParse(schema, body);
    if (!checked.ok)
      for (const issue of checked.issues) this.reportFault(issuePath(issue), issueMessage(issue));
    for (const [path, message] of Object.entries(faults)) this.reportFault(path, message);
  }

  reportFault(path: string, message: string): void {
    if (!this.#details.has(path)) this.#details.set(path, message);
  }

  isValid(path: string): boolean {
    return !this.#details.has(path);
  }

  /** Returns a top-level field, or undefined if it is invalid. */
  validField<Name extends keyof Body & string>(name: Name): Body[Name] | undefined {
    return this.isValid(name) ? (this.#raw[name] as Body[Name] | undefined) : undefined;
  }

  get refusal(): Refusal | undefined {
    return this.#details.size === 0 ? undefined : refuseInvalid(Object.fromEntries(this.#details));
  }
}

/** @param given the refused value, for a suggestion */
export function oneOfMessage(given: unknown, values: readonly string[]): string {
  const suggestion = typeof given === "string" ? didYouMean(given, values) : "";
  return values.length === 0 ? "is not available" : `must be one of ${values.join(", ")}${suggestion}`;
}

/** Returns the phone number with its plus. Without one, it must begin with the country code of a currency's country. */
export function checkPhone<Body extends { phone_number?: string | null | undefined }>(
  body: BodyCheck<Body>,
  catalogue: Catalogue,
): string | null {
  const phone = body.validField("phone_number");
  if (typeof phone !== "string" || phone.startsWith("+")) return phone ?? null;
  const international = `+${phone}`;
  if (catalogue.fixtures.countries.some(({ dialling_code }) => international.startsWith(dialling_code)))
    return international;
  body.reportFault("phone_number", PHONE_MESSAGE);
  return null;
}

/** Checks an amount against its currency; returns it with exactly the currency's decimals. */
export function checkAmount<Body>(
  body: BodyCheck<Body>,
  path: string,
  amount: unknown,
  currency: CurrencyFixture,
): string | undefined {
  if (!body.isValid(path) || typeof amount !== "string") return undefined;
  if (decimalsOf(amount) > currency.decimals)
    body.reportFault(path, `must have at most ${currency.decimals} decimals in ${currency.code}`);
  else if (isZero(amount)) body.reportFault(path, "must be more than 0");
  else return toCanonicalAmount(amount, currency.decimals);
  return undefined;
}
