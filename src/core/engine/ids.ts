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

/** 32 bytes that depend on scope, kind and counter alone. */
export function numberedDigest(scope: string, kind: IdKind, counter: number): Buffer {
  return digestOf(`${scope}\0${kind}\0${counter}`);
}

/** SHA-256 of a text, from which ids, random draws and wallets are derived. */
export function digestOf(id: string): Buffer {
  return Buffer.from(sha256(id), "hex");
}

/** SHA-256 in hexadecimal. `crypto.hash`, from Node 20.12, takes a third of the time of a Hash object. */
const sha256: (text: string) => string =
  crypto.hash === undefined
    ? (text) => crypto.createHash("sha256").update(text).digest("hex")
    : (text) => crypto.hash("sha256", text, "hex");

/** As `numberedDigest`, in hexadecimal, which costs half as much. */
export function numberedHexDigest(scope: string, kind: IdKind, counter: number): string {
  return sha256(`${scope}\0${kind}\0${counter}`);
}

/** Id of 96 bits of a digest, in hexadecimal: short enough to read out, too long to collide. */
export function idOf(kind: IdKind, bytes: Buffer): string {
  return ID_PREFIXES[kind] + bytes.toString("hex", 0, ID_DIGITS / 2);
}

export function numberedId(scope: string, kind: IdKind, number: number): string {
  return idOfHex(kind, numberedHexDigest(scope, kind, number));
}

/** `idOf` for a digest in hexadecimal; `part` 1 gives a second id of the same digest. */
export function idOfHex(kind: IdKind, hex: string, part: 0 | 1 = 0): string {
  return ID_PREFIXES[kind] + hex.slice(part * ID_DIGITS, (part + 1) * ID_DIGITS);
}

const ID_DIGITS = 24;

/** A number in [0, 1) derived from a digest. */
export function fractionOf(bytes: Buffer): number {
  return bytes.readUIntBE(0, 6) / 2 ** 48;
}

const READABLE = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/** Makes a reference that customers can type: a prefix and ten characters without look-alikes. */
export function providerReferenceOf(hex: string): string {
  let text = "PSB";
  for (let digit = 0; digit < 20; digit += 2)
    text += READABLE[((digitAt(hex, digit) & 1) << 4) | digitAt(hex, digit + 1)];
  return text;
}

function digitAt(hex: string, index: number): number {
  const code = hex.charCodeAt(index);
  return code <= 57 ? code - 48 : code - 87;
}
