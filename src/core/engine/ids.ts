import * as crypto from "node:crypto";
import type { NamespaceRecord } from "./records.js";

const ID_PREFIXES = {
  quote: "qt_",
  checkout: "co_",
  charge: "ch_",
  event: "evt_",
  delivery: "dlv_",
  webhook: "we_",
  withdrawal: "wd_",
  destination: "dst_",
  entry: "le_",
  fault: "flt_",
  secret: "",
  reference: "",
  account: "",
  chance: "",
} as const;
export type IdKind = keyof typeof ID_PREFIXES;

/** Returns the prefix that is hashed into each new id of the namespace. */
export function idScopeOf({ seed, name, generation, restores }: NamespaceRecord): string {
  return `${seed}\0${name}\0${restores === 0 ? generation : `${generation}.${restores}`}`;
}

/** SHA-256 of a text in hexadecimal, from which ids, random draws and wallets are derived. */
export const digestOf: (text: string) => string =
  // `crypto.hash`, from Node 20.12, takes a third of the time of a Hash object.
  crypto.hash === undefined
    ? (text) => crypto.createHash("sha256").update(text).digest("hex")
    : (text) => crypto.hash("sha256", text, "hex");

export function numberedDigest(scope: string, kind: IdKind, counter: number): string {
  return digestOf(`${scope}\0${kind}\0${counter}`);
}

const ID_DIGITS = 24;

/** Id of 96 bits of a digest: short enough to read out, too long to collide. `part` 1 gives a second id. */
export function idOf(kind: IdKind, digest: string, part: 0 | 1 = 0): string {
  return ID_PREFIXES[kind] + digest.slice(part * ID_DIGITS, (part + 1) * ID_DIGITS);
}

export function fractionOf(digest: string): number {
  return Number.parseInt(digest.slice(0, 12), 16) / 2 ** 48;
}

const READABLE = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/** Makes a reference that customers can type: a prefix and ten characters without look-alikes. */
export function providerReferenceOf(digest: string): string {
  let text = "PSB";
  for (let digit = 0; digit < 20; digit += 2)
    text += READABLE[((digitAt(digest, digit) & 1) << 4) | digitAt(digest, digit + 1)];
  return text;
}

function digitAt(digest: string, index: number): number {
  const code = digest.charCodeAt(index);
  return code <= 57 ? code - 48 : code - 87;
}
