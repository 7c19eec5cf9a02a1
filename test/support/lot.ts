import { createHash } from "node:crypto";

/** A number from 0 to 99 that follows from the text. */
export function lot(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE(0) % 100;
}
