/** Eight tables process eight bytes at a time, four times as fast as one table. */
const TABLES = makeTables();

/** CRC-32 of zip and PNG over a range of bytes. Node has a CRC-32 function only since 20.15. */
export function crc32(bytes: Uint8Array, from = 0, to = bytes.length): number {
  const t = TABLES;
  let crc = -1;
  let i = from;
  for (const last = to - 8; i <= last; i += 8) {
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
  for (; i < to; i++) crc = t[(crc ^ bytes[i]!) & 255]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Signed, since numbers above 2^31 are slow. */
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
