import { maskKey } from "../schema/mask-key.js";
import { DEFAULT_WEBHOOK_SECRET } from "../schema/options.js";

/** In the place of a secret of Standard Webhooks: one that can be used, so that a state can be put in place elsewhere. */
export const MASKED_SECRET = "whsec_bWFza2VkIG1hc2tlZCBtYXNrZWQ=";
const MASKED = "masked";

const SECRET_NAME = /secret|password|token|verif-hash/i;
/** In a URL's query more is secret: who knows it may come in. */
const SECRET_PARAMETER = /secret|password|token|key|auth|sig/i;

const STANDARD_SECRET = /whsec_[A-Za-z0-9+/_-]{8,}={0,2}/g;
const API_KEY = /sk_(?:test|live)_[A-Za-z0-9_-]+/g;
const CREDENTIALS = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@"]+@/gi;
const PARAMETER = /([?&])([^?=&#\s"]{1,100})=[^&#\s"]*/g;
/** In a body that is no JSON any more, for it was cut. */
const WRITTEN_FIELD = /("[^"\\]{0,60}(?:secret|password)[^"\\]{0,60}"\s{0,5}:\s{0,5}")[^"]*/gi;
/** What is shorter may stand anywhere by chance. */
const SHORTEST_KNOWN = 8;

/** Takes out of what is kept whatever lets somebody sign, call or come in. Others read it: artifacts are uploaded. */
export class Mask {
  readonly #known = new Set<string>();
  #knownPattern: RegExp | undefined;

  /** Notes the secrets there are in a value, to be masked wherever else they stand. */
  note(value: unknown): void {
    changed(value, (text, name) => {
      if (SECRET_NAME.test(name) && text.length >= SHORTEST_KNOWN && text !== DEFAULT_WEBHOOK_SECRET)
        this.#known.add(text);
      return text;
    });
    const all = [...this.#known].sort((a, b) => b.length - a.length).map(asPattern);
    this.#knownPattern = all.length === 0 ? undefined : new RegExp(all.join("|"), "g");
  }

  /** A copy of the value with its texts masked. */
  value(value: unknown): unknown {
    return changed(value, (text, name, within) => {
      if (SECRET_NAME.test(name) || (within === "query" && SECRET_PARAMETER.test(name))) return stand(text);
      return this.text(text);
    });
  }

  text(text: string): string {
    const unknown = this.#knownPattern === undefined ? text : text.replace(this.#knownPattern, stand);
    return unknown
      .replace(STANDARD_SECRET, stand)
      .replace(API_KEY, maskKey)
      .replace(CREDENTIALS, `$1${MASKED}@`)
      .replace(WRITTEN_FIELD, `$1${MASKED}`)
      .replace(PARAMETER, (whole, mark: string, name: string) =>
        SECRET_PARAMETER.test(name) ? `${mark}${name}=${MASKED}` : whole,
      );
  }
}

function asPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** What stands for a secret. The one that everybody is told is none. */
function stand(secret: string): string {
  if (secret === DEFAULT_WEBHOOK_SECRET) return secret;
  return secret.startsWith("whsec_") ? MASKED_SECRET : MASKED;
}

/** A copy with every text changed; `name` is what it is called, `within` what the object is called that it is in. */
function changed(
  value: unknown,
  change: (text: string, name: string, within: string) => string,
  name = "",
  within = "",
): unknown {
  if (typeof value === "string") return change(value, name, within);
  if (Array.isArray(value)) return value.map((one) => changed(one, change, name, within));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, changed(part, change, key, name)]),
  );
}
