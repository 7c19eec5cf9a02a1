import { isUtf8 } from "node:buffer";
import * as zlib from "node:zlib";
import type { JournalEntry } from "../engine/records.js";
import { isJsonObject } from "../schema/json-objects.js";
import { isJournalEntry } from "./state-format.js";

/*
 * A journal line is `checksum length {json}\n`; checksum and length are of the JSON bytes. The length distinguishes
 * an unfinished line at the end of the file, left by a killed process, from a damaged one.
 */

const CHECKSUM_CHARS = 8;
const NEWLINE = 0x0a;
/** Maximum bytes before the JSON: checksum, space, length, space. */
const MAX_HEAD_BYTES = CHECKSUM_CHARS + 1 + 15 + 1;
const HEAD = /^([0-9a-f]{8}) ([1-9]\d*) /;
const BEGUN_HEAD = /^(?:[0-9a-f]{0,8}|[0-9a-f]{8} (?:[1-9]\d*)?)$/;

type DecodedLine =
  | LineChange
  | LineOwner
  /** Left by a killed process before the change was acknowledged. */
  | "torn"
  | { readonly damage: string };

interface LineChange {
  readonly change: JournalEntry;
}

/** First line of a journal: the namespace that its changes belong to. */
export interface JournalOwner {
  readonly journal_of: string;
  readonly seed: string;
}

interface LineOwner {
  readonly owner: JournalOwner;
}

export function encodeLine(content: JournalEntry | JournalOwner): Buffer {
  const json = JSON.stringify(content);
  const jsonBytes = Buffer.byteLength(json);
  const length = ` ${jsonBytes} `;
  const jsonStart = CHECKSUM_CHARS + length.length;
  const line = Buffer.allocUnsafe(jsonStart + jsonBytes + 1);
  // Without a copy of the text for the newline.
  line.write(json, jsonStart);
  line[line.length - 1] = NEWLINE;
  const checksum = crc32(line.subarray(jsonStart, -1)).toString(16).padStart(CHECKSUM_CHARS, "0");
  line.write(checksum + length, "latin1");
  return line;
}

/**
 * @param content without the newline
 * @param finished true if a newline follows; otherwise the file ends here
 */
export function decodeLine(content: Buffer, finished: boolean): DecodedLine {
  const text = finished ? content : trimZeros(content);
  // The line may have been acknowledged.
  if (text.length > 0 && text.length < content.length) return { damage: "its end is zeros" };
  const head = HEAD.exec(text.toString("latin1", 0, MAX_HEAD_BYTES));
  if (head === null) {
    return !finished && BEGUN_HEAD.test(text.toString("latin1"))
      ? "torn"
      : { damage: "it does not begin with a checksum and a length" };
  }
  const json = text.subarray(head[0].length);
  const length = Number(head[2]);
  if (!finished && json.length < length) return "torn";
  if (json.length !== length) return { damage: `${json.length} bytes where it says ${length}` };
  if (crc32(json) !== Number.parseInt(head[1]!, 16)) return { damage: "its checksum does not match" };
  return finished ? parseLine(json) : "torn";
}

/** Cuts off zeros. After a power loss, some file systems have zeros in place of the last write. */
function trimZeros(content: Buffer): Buffer {
  let end = content.length;
  while (end > 0 && content[end - 1] === 0) end--;
  return content.subarray(0, end);
}

function parseLine(json: Buffer): LineChange | LineOwner | { readonly damage: string } {
  let value: unknown;
  try {
    // Decoding would silently replace a damaged byte.
    if (!isUtf8(json)) return { damage: "not UTF-8" };
    value = JSON.parse(json.toString("utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { damage: "not JSON" };
  }
  if (isJournalOwner(value)) return { owner: value };
  return isJournalEntry(value) ? { change: value } : { damage: "JSON, but not a change of this program" };
}

function isJournalOwner(value: unknown): value is JournalOwner {
  return isJsonObject(value) && typeof value.journal_of === "string" && typeof value.seed === "string";
}

/** Signed, because JavaScript is slower with numbers from 2^31 on. */
const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

/** CRC-32 of zip and PNG: Node's own, which it has from 20.15. */
export const crc32: (bytes: Uint8Array) => number = zlib.crc32 ?? tableCrc32;

function tableCrc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 255]! ^ (crc >>> 8);
  return ~crc >>> 0;
}
