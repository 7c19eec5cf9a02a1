import * as crypto from "node:crypto";

/** What an id is for, and how it begins. */
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

/** 32 bytes that follow from the seed, the namespace, the generation, the kind and the counter, and nothing else. */
export function digest(scope: string, kind: IdKind, counter: number): Buffer {
  return digestOf(`${scope}\0${kind}\0${counter}`);
}

/** 32 bytes that follow from an id: account numbers and wallets of a charge, whenever it is priced. */
export function digestOf(id: string): Buffer {
  return Buffer.from(sha256(id), "hex");
}

/**
 * What `digestOf` makes of a charge's id, for whoever reads it at once: the next call writes over it. Of a charge just
 * made it is there already.
 */
export function passingDigestOf(chargeId: string): Uint8Array {
  const hex = ofNextCharges.get(chargeId) ?? sha256(chargeId);
  for (let at = 0; at < passing.length; at++)
    passing[at] = (digitAt(hex, 2 * at) << 4) | digitAt(hex, 2 * at + 1);
  return passing;
}

const passing = new Uint8Array(32);
/** Charge id → digest, of those whose ids were made last. */
const ofNextCharges = new Map<string, string>();

/** In hexadecimal: Node 20.12 has a way without a Hash, which costs a third even where the bytes are wanted. */
const sha256: (text: string) => string =
  crypto.hash === undefined
    ? (text) => crypto.createHash("sha256").update(text).digest("hex")
    : (text) => crypto.hash("sha256", text, "hex");

/** Digests of a kind that were asked for one after another, and those made for what comes next: the last first. */
interface Row {
  readonly scope: string;
  next: number;
  asked: number;
  readonly made: string[];
}

const rows: Partial<Record<IdKind, Row>> = {};

/** Who has asked for so many in a row gets further ones from a batch of so many: one by one each costs three times as much. */
const IN_A_ROW = 16;

/** The same in hexadecimal, which costs half of what the bytes cost. */
export function hexDigest(scope: string, kind: IdKind, counter: number): string {
  const row = rows[kind];
  if (row?.scope !== scope || row.next !== counter) {
    rows[kind] = { scope, next: counter + 1, asked: 1, made: [] };
    return sha256(`${scope}\0${kind}\0${counter}`);
  }
  row.next++;
  if (row.made.length === 0) {
    const batch = ++row.asked > IN_A_ROW ? IN_A_ROW : 1;
    for (let ahead = batch - 1; ahead >= 0; ahead--)
      row.made.push(sha256(`${scope}\0${kind}\0${counter + ahead}`));
    if (kind === "charge") prepareDigestsOf(row.made);
  }
  return row.made.pop()!;
}

/** A charge's instructions are made from the digest of its id, mostly as soon as it has one. */
function prepareDigestsOf(charges: readonly string[]): void {
  ofNextCharges.clear();
  for (const hex of charges) {
    const id = idOfHex("charge", hex);
    ofNextCharges.set(id, sha256(id));
  }
}

/** 96 bits of a digest as 24 letters and digits: short enough to read out, far too many to collide. */
export function idOf(kind: IdKind, bytes: Buffer): string {
  return ID_PREFIXES[kind] + bytes.toString("hex", 0, ID_DIGITS / 2);
}

/** The id of the thing of that kind with that number. */
export function numberedId(scope: string, kind: IdKind, number: number): string {
  return idOfHex(kind, hexDigest(scope, kind, number));
}

/** What `idOf` makes, of a digest in hexadecimal; `part` is 1 for a second id of the same digest. */
export function idOfHex(kind: IdKind, hex: string, part: 0 | 1 = 0): string {
  return ID_PREFIXES[kind] + hex.slice(part * ID_DIGITS, (part + 1) * ID_DIGITS);
}

const ID_DIGITS = 24;

/** A number from 0 up to 1 that follows from a digest. */
export function chanceOf(bytes: Buffer): number {
  return bytes.readUIntBE(0, 6) / 2 ** 48;
}

const READABLE = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/** A reference a customer can type: ten characters without look-alikes. */
export function referenceOf(hex: string): string {
  let text = "PSB";
  for (let at = 0; at < 20; at += 2) text += READABLE[((digitAt(hex, at) & 1) << 4) | digitAt(hex, at + 1)];
  return text;
}

/** The value of a hexadecimal digit. */
function digitAt(hex: string, at: number): number {
  const code = hex.charCodeAt(at);
  return code <= 57 ? code - 48 : code - 87;
}
