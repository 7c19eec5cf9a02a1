import { isUtf8 } from "node:buffer";
import type { JournalEntry } from "../engine/records.js";
import { isJournalEntry } from "./state-format.js";

/*
 * A journal line is `checksum length {json}\n`; checksum and length are of the JSON bytes. The length distinguishes
 * an unfinished line at the end of the file, left by a killed process, from a damaged one.
 */

const CHECKSUM_CHARS = 8;
/** Maximum bytes before the JSON: checksum, space, length, space. */
const MAX_HEAD_BYTES = CHECKSUM_CHARS + 1 + 15 + 1;
const HEAD = /^([0-9a-f]{8}) ([1-9]\d*) /;
const BEGUN_HEAD = /^(?:[0-9a-f]{0,8}|[0-9a-f]{8} (?:[1-9]\d*)?)$/;

const NEWLINE = Buffer.from("\n");

type DecodedLine =
  | LineChange
  /** Left by a killed process before the change was acknowledged. */
  | "torn"
  | { readonly damage: string };

interface LineChange {
  readonly change: JournalEntry;
}

/** Encodes a line with its newline. */
export function encodeLine(change: JournalEntry): Buffer {
  const json = Buffer.from(JSON.stringify(change), "utf8");
  const checksum = crc32(json).toString(16).padStart(CHECKSUM_CHARS, "0");
  return Buffer.concat([Buffer.from(`${checksum} ${json.length} `, "latin1"), json, NEWLINE]);
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
  return finished ? parseChange(json) : "torn";
}

/** Cuts off zeros. After a power loss, some file systems have zeros in place of the last write. */
function trimZeros(content: Buffer): Buffer {
  let end = content.length;
  while (end > 0 && content[end - 1] === 0) end--;
  return content.subarray(0, end);
}

function parseChange(json: Buffer): LineChange | { readonly damage: string } {
  let value: unknown;
  try {
    // Decoding would silently replace a damaged byte.
    if (!isUtf8(json)) return { damage: "not UTF-8" };
    value = JSON.parse(json.toString("utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { damage: "not JSON" };
  }
  return isJournalEntry(value) ? { change: value } : { damage: "JSON, but not a change of this program" };
}

/** Eight tables process eight bytes at a time, four times as fast as one table. */
const TABLES = makeTables();

/** CRC-32 of zip and PNG. Node has a CRC-32 function only since 20.15. */
export function crc32(bytes: Uint8Array): number {
  const t = TABLES;
  let crc = -1;
  let i = 0;
  for (const last = bytes.length - 8; i <= last; i += 8) {
    crc ^= bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    crc =
      t[1792 + (crc & 255)]! ^
      t[1536 + ((crc >>> 8) & 255)]! ^
      t[1280 + ((crc >>> 16) & 255)]! ^
      t[1024 + (crc >>> 24)]! ^
      t[768 + bytes[i + 4]!]! ^
      t[512 + bytes[i + 5]!]! ^
      t[256 + bytes[i + 6]!]! ^
      t[bytes[i + 7]!]!;
  }
  for (; i < bytes.length; i++) crc = t[(crc ^ bytes[i]!) & 255]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Uses signed numbers, because JavaScript is slower with numbers from 2^31 on. */
function makeTables(): Int32Array {
  const tables = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    tables[byte] = crc;
  }
  for (let index = 256; index < tables.length; index++) {
    const previous = tables[index - 256]!;
    tables[index] = (previous >>> 8) ^ tables[previous & 255]!;
  }
  return tables;
}
