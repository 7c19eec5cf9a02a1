/** So many bytes of a body are kept in the request journal. */
export const KEPT_BODY_BYTES = 64 * 1024;

/** No character is longer in UTF-8. */
const LONGEST_CHARACTER_BYTES = 3;

/** A body that is too long to be kept whole: its beginning with a mark behind it, and how long it was. */
interface CutBody {
  readonly text: string;
  readonly bytes: number;
}

/** Undefined for a body that may be kept as it is. */
export function cutBody(body: string): CutBody | undefined {
  if (body.length * LONGEST_CHARACTER_BYTES <= KEPT_BODY_BYTES) return undefined;
  const bytes = Buffer.byteLength(body);
  if (bytes <= KEPT_BODY_BYTES) return undefined;
  const beginning = Buffer.from(body.slice(0, KEPT_BODY_BYTES));
  let end = KEPT_BODY_BYTES;
  // A character that does not fit goes as a whole.
  while (isInsideCharacter(beginning[end])) end--;
  // By way of the bytes, for a slice of a string keeps the whole of it in memory.
  return { text: `${beginning.toString("utf8", 0, end)}… [cut: ${bytes} bytes in all]`, bytes };
}

function isInsideCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
