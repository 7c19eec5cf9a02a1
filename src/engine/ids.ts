import { createHash } from "node:crypto";

/** What an id is for, and how it begins. */
export const ID_PREFIXES = {
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

/** 32 bytes that follow from the seed, the namespace, the generation, the kind and the counter, and nothing else. */
export function digest(scope: string, kind: IdKind, counter: number): Buffer {
  return createHash("sha256").update(`${scope}\0${kind}\0${counter}`).digest();
}

/** 32 bytes that follow from an id: account numbers and wallets of a charge, whenever it is priced. */
export function digestOf(id: string): Buffer {
  return createHash("sha256").update(id).digest();
}

/** 96 bits of a digest as 24 letters and digits: short enough to read out, far too many to collide. */
export function idOf(kind: IdKind, bytes: Buffer): string {
  return ID_PREFIXES[kind] + bytes.toString("hex", 0, 12);
}

const READABLE = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/** A reference a customer can type: ten characters without look-alikes. */
export function referenceOf(bytes: Buffer): string {
  let text = "PSB";
  for (let index = 0; index < 10; index++) text += READABLE[bytes[index]! & 31];
  return text;
}
