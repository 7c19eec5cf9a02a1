import * as z from "zod/mini";

const PLACEHOLDER = /\{([^{}]*)\}/g;
const PLACEHOLDER_NAME = /^(charge_id|checkout_id|metadata\.[\w.-]+)$/;

/** Address of the app's view of a charge: `GET PATH` or a URL, with placeholders. */
export const observeSchema = z.string().check(
  z.refine(
    (text) => /^(GET )?(\/|https?:\/\/)\S+$/.test(text),
    "must be GET and a path or URL, as in 'GET /orders/{charge_id}'",
  ),
  z.refine(
    (text) => placeholdersOf(text).every((name) => PLACEHOLDER_NAME.test(name)),
    "knows the placeholders {charge_id}, {checkout_id} and {metadata.KEY} only",
  ),
  z.refine(
    (text) => placeholdersOf(text).length > 0,
    "needs a placeholder that tells charges apart, such as {charge_id}",
  ),
);

/** Placeholder in an order for a customer that no other order has. */
export const EMAIL_PLACEHOLDER = "{email}";

/** Request that has the app place an order: `POST PATH BODY`. */
export const orderSchema = z
  .string()
  .check(
    z.regex(
      /^POST (\/|https?:\/\/)\S+( .+)?$/s,
      `must be POST, a path or URL, and a body, as in 'POST /orders {"email": "{email}"}'`,
    ),
  );

/** Builds the request for a customer's order; a path is relative to the receiver's host. */
export function orderRequest(order: string, receiver: string, email: string): { url: URL; body: string } {
  const [, path, ...body] = order.replaceAll(EMAIL_PLACEHOLDER, email).split(" ");
  return { url: new URL(path!, receiver), body: body.join(" ") };
}

interface ChargeNames {
  readonly charge_id: string;
  readonly checkout_id: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Metadata keys in the placeholders. */
export function metadataKeysOf(observe: string): string[] {
  return placeholdersOf(observe).flatMap((name) => (name.startsWith("metadata.") ? [name.slice(9)] : []));
}

/** Fills in the address for one charge; a path is relative to the receiver's host. */
export function observedUrl(observe: string, receiver: URL, charge: ChargeNames): URL {
  const filled = observe.replace(/^GET /, "").replace(PLACEHOLDER, (_all, name: string) => {
    const { [name]: value } = placeholderValues(charge);
    return encodeURIComponent(value ?? "");
  });
  return new URL(filled, receiver);
}

/** The charge's values by placeholder. */
export function placeholderValues({ charge_id, checkout_id, metadata }: ChargeNames): Record<string, string> {
  const keys = Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, value]);
  return { charge_id, checkout_id, ...Object.fromEntries(keys) };
}

function placeholdersOf(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!);
}
