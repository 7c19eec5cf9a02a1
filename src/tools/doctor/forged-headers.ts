import type { SignatureScheme } from "../../core/schema/webhooks.js";

/** A header that carries a signature, taken apart. */
export interface SignatureParts {
  /** What stands before it, such as a timestamp. */
  readonly head: string;
  /** What says how it was made, such as `v1,`. */
  readonly tag: string;
  readonly value: string;
}

/** The headers of a signed request, its one signature changed. */
export function forgedHeaders(
  { headers, each }: SignatureScheme,
  signed: Readonly<Record<string, string>>,
  forge: (parts: SignatureParts) => string,
): Record<string, string> {
  const tag = each.replace("{signature}", "");
  const changed = Object.entries(signed).map(([name, text]): [string, string] => {
    if (!headers[name]?.includes("{signatures}")) return [name, text];
    const start = tag === "" ? 0 : text.lastIndexOf(tag);
    return [name, forge({ head: text.slice(0, start), tag, value: text.slice(start + tag.length) })];
  });
  return Object.fromEntries(changed);
}

/** The version in a scheme's tag, such as `v1`; undefined where it names none. */
export function versionIn({ each }: SignatureScheme): string | undefined {
  return /v\d/.exec(each)?.[0];
}
