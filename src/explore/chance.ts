import { createHash } from "node:crypto";

/** Numbers from 0 to 1, the same ones for the same name. */
export function chanceOf(name: string): () => number {
  let count = 0;
  return () => createHash("sha256").update(`${name}\0${count++}`).digest().readUInt32BE() / 2 ** 32;
}
