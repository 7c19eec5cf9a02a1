import { readSync } from "node:fs";

const CHUNK_BYTES = 1 << 20;

/** A line of a file, as bytes: what is not finished may end in the middle of a character. */
export interface Line {
  /** Without the newline. Valid only until the next line is asked for. */
  readonly content: Buffer;
  /** Counted from 1. */
  readonly number: number;
  readonly startByte: number;
  /** Whether a newline ends it; only the last line of a file can lack one. */
  readonly finished: boolean;
}

/** Reads a file line by line in chunks, so that it may be longer than the longest string. */
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
    // A copy, for the chunk is read into again.
    if (from < length) begun.push(Buffer.from(chunk.subarray(from, length)));
    position += length;
  }
  if (begun.length > 0) yield { content: Buffer.concat(begun), number, startByte, finished: false };
}
