import * as z from "zod/mini";

const PLACEHOLDER = /\{([^{}]*)\}/g;
const KNOWN = /^(charge_id|checkout_id|metadata\.[\w.-]+)$/;

/** Where the app tells how it sees a charge: `GET PATH`, or a whole URL, with placeholders. */
export const observeSchema = z.string().check(
  z.refine(
    (text) => /^(GET )?(\/|https?:\/\/)\S+$/.test(text),
    "must be GET and a path or URL, as in 'GET /orders/{charge_id}'",
  ),
  z.refine(
    (text) => placeholdersOf(text).every((name) => KNOWN.test(name)),
    "knows the placeholders {charge_id}, {checkout_id} and {metadata.KEY} only",
  ),
  z.refine(
    (text) => placeholdersOf(text).length > 0,
    "needs a placeholder that tells charges apart, such as {charge_id}",
  ),
);

/** In an order: a customer of its own. */
export const EMAIL = "{email}";

/** How the app is asked for an order: `POST PATH BODY`. */
export const orderSchema = z
  .string()
  .check(
    z.regex(
      /^POST (\/|https?:\/\/)\S+( .+)?$/s,
      `must be POST, a path or URL, and a body, as in 'POST /orders {"email": "{email}"}'`,
    ),
  );

/** The request for an order of that customer; a path is on the receiver's own host. */
export function orderRequest(order: string, receiver: string, email: string): { url: URL; body: string } {
  const [, path, ...body] = order.replaceAll(EMAIL, email).split(" ");
  return { url: new URL(path!, receiver), body: body.join(" ") };
}

/** What a charge is told apart by. */
interface Named {
  readonly charge_id: string;
  readonly checkout_id: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The keys of the metadata it names. */
export function metadataKeysOf(observe: string): string[] {
  return placeholdersOf(observe).flatMap((name) => (name.startsWith("metadata.") ? [name.slice(9)] : []));
}

/** The address to read for one charge; a path is on the receiver's own host. */
export function observedUrl(observe: string, receiver: URL, charge: Named): URL {
  const filled = observe.replace(/^GET /, "").replace(PLACEHOLDER, (_all, name: string) => {
    const { [name]: value } = namesOf(charge);
    return encodeURIComponent(value ?? "");
  });
  return new URL(filled, receiver);
}

/** What sets a charge apart from others, by the names of placeholders. */
export function namesOf({ charge_id, checkout_id, metadata }: Named): Record<string, string> {
  const keys = Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, value]);
  return { charge_id, checkout_id, ...Object.fromEntries(keys) };
}

function placeholdersOf(text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!);
}
