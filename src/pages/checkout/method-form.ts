import type { Catalogue } from "../../core/domain/catalogue.js";
import type { Charge } from "../../core/domain/charge-transition.js";
import { METHOD_KINDS } from "../../core/domain/method-kinds.js";
import { readBody } from "../../server/http/body.js";

const MAX_FORM_BYTES = 64 * 1024;

type FormResult = { readonly form: URLSearchParams } | { readonly status: 400 | 413; readonly why: string };

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

/** Reads a field of one method. Scripts may post the field without the method's suffix. */
export function readMethodField(form: URLSearchParams, name: string, methodId: string): string | null {
  return form.get(methodFieldName(name, methodId)) ?? form.get(name);
}

/** The input of `chooseMethod`. Ignores empty fields and fields that the method does not use. */
export function readMethodForm(form: URLSearchParams, charge: Charge, catalogue: Catalogue): object {
  const id = form.get("payment_method");
  if (id === null) return {};
  const fields: Record<string, string> = { payment_method: id };
  const kind = charge.offered_methods.includes(id) ? catalogue.method(id)?.kind : undefined;
  for (const name of ["currency", kind && METHOD_KINDS[kind].customerField]) {
    const value = name && readMethodField(form, name, id)?.trim();
    if (value) fields[name] = name === "phone_number" ? plainPhone(value) : value;
  }
  return fields;
}

/** Normalizes a phone number: `00254 (700) 000-001` → `+254700000001`. */
function plainPhone(text: string): string {
  return text.replace(/[\s().\u2010-\u2015-]/g, "").replace(/^00/, "+");
}
