import type { Catalogue } from "../../core/domain/catalogue.js";
import type { Charge } from "../../core/domain/charge-transition.js";
import { METHOD_KINDS } from "../../core/domain/method-kinds.js";
import { readBody } from "../../server/http/body.js";

const MAX_FORM_BYTES = 64 * 1024;

export type FormResult =
  | { readonly form: URLSearchParams }
  | { readonly status: 400 | 413; readonly why: string };

export async function readForm(request: Request): Promise<FormResult> {
  const raw = await readBody(request);
  if ("torn" in raw) return { status: 400, why: "The form ended before it was complete." };
  if ("tooLarge" in raw || Buffer.byteLength(raw.text) > MAX_FORM_BYTES)
    return { status: 413, why: "The form is larger than 64 KiB." };
  const type = request.headers.get("content-type");
  if (raw.text !== "" && !/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type ?? ""))
    return { status: 400, why: "The form must be sent as application/x-www-form-urlencoded." };
  return { form: new URLSearchParams(raw.text) };
}

/** Name of a field that belongs to one method, such as `currency.mobile_money`. */
export function methodFieldName(name: string, methodId: string): string {
  return `${name}.${methodId}`;
}

/** The input of `chooseMethod`. */
export interface MethodForm {
  readonly payment_method?: string;
  readonly currency?: string;
  readonly phone_number?: string;
  readonly bank_account_number?: string;
}

/**
 * Reads the fields of the chosen method. Names without a method's suffix work too, for scripts that post the form.
 * Ignores empty fields and those of other kinds of methods.
 */
export function readMethodForm(form: URLSearchParams, charge: Charge, catalogue: Catalogue): MethodForm {
  const id = form.get("payment_method") ?? undefined;
  if (id === undefined) return {};
  const kind = charge.offered_methods.includes(id) ? catalogue.method(id)?.kind : undefined;
  const field = (name: string): string | undefined =>
    (form.get(methodFieldName(name, id)) ?? form.get(name))?.trim() || undefined;
  const currency = field("currency");
  const { customerField: kindField } = kind === undefined ? {} : METHOD_KINDS[kind];
  const phone = kindField === "phone_number" ? plainPhone(field("phone_number")) : undefined;
  const account = kindField === "bank_account_number" ? field("bank_account_number") : undefined;
  return {
    payment_method: id,
    ...(currency === undefined ? {} : { currency }),
    ...(phone === undefined ? {} : { phone_number: phone }),
    ...(account === undefined ? {} : { bank_account_number: account }),
  };
}

/** Normalizes a phone number: `00254 (700) 000-001` → `+254700000001`. */
function plainPhone(text: string | undefined): string | undefined {
  return text?.replace(/[\s().\u2010-\u2015-]/g, "").replace(/^00/, "+");
}
