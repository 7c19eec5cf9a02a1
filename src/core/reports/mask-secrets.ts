import { DEFAULT_WEBHOOK_SECRET } from "../schema/option-schemas.js";
import { maskKey } from "../schema/text-format.js";

/** Replaces a webhook secret. Has the format of a secret, so a masked state can be imported. */
const MASKED_SECRET = "whsec_bWFza2VkIG1hc2tlZCBtYXNrZWQ=";
const MASKED = "masked";

const SECRET_NAME = /secret|password|token|verif-hash/i;
const WEBHOOK_SECRET = /whsec_[A-Za-z0-9+/_-]{8,}={0,2}/g;
const API_KEY = /sk_(?:test|live)_[A-Za-z0-9_-]+/g;

/** Masks the API keys and webhook secrets in a text. */
export function maskSecretsInText(text: string): string {
  return text.replace(WEBHOOK_SECRET, maskSecret).replace(API_KEY, maskKey);
}

/** Copies JSON and masks its secrets: API keys, webhook secrets, and the text of fields such as `password`. */
export function maskSecretsInJson(value: unknown, name = ""): unknown {
  if (typeof value === "string") return SECRET_NAME.test(name) ? maskSecret(value) : maskSecretsInText(value);
  if (Array.isArray(value)) return value.map((item) => maskSecretsInJson(item, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, maskSecretsInJson(part, key)]));
}

/** Keeps the documented default secret, which is public. */
function maskSecret(secret: string): string {
  if (secret === DEFAULT_WEBHOOK_SECRET) return secret;
  return secret.startsWith("whsec_") ? MASKED_SECRET : MASKED;
}
