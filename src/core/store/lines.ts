import { readSync } from "node:fs";

const CHUNK_BYTES = 1 << 20;

/** A line of a file as bytes; an unfinished one may end inside a character. */
export interface Line {
  /** Without the newline. Valid until the next line is read. */
  readonly content: Buffer;
  /** Counted from 1. */
  readonly number: number;
  readonly startByte: number;
  /** False only for a last line without a newline. */
  readonly finished: boolean;
}

/** Reads a file line by line in chunks; it may be longer than the longest string. */
export function* readLines(fd: number): Generator<Line> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let begun: Buffer[] = [];
  let number = 1;
  let startByte = 0;
  let position = 0;
  for (;;) {
    const length = readSync(fd, chunk, 0, CHUNK_BYTES, position);
    if (length === 0) break;
    let from = 0;
    for (;;) {
      const newline = chunk.subarray(0, length).indexOf(0x0a, from);
      if (newline === -1) break;
      const tail = chunk.subarray(from, newline);
      const content = begun.length === 0 ? tail : Buffer.concat([...begun, tail]);
      begun = [];
      yield { content, number, startByte, finished: true };
      number += 1;
      from = newline + 1;
      startByte = position + from;
    }
    // A copy, since the chunk is reused.
    if (from < length) begun.push(Buffer.from(chunk.subarray(from, length)));
    position += length;
  }
  if (begun.length > 0) yield { content: Buffer.concat(begun), number, startByte, finished: false };
}
