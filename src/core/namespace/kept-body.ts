/** Length of a body in the request journal. */
export const KEPT_BODY_BYTES = 64 * 1024;

/** The longest UTF-8 encoding of a UTF-16 code unit. */
const LONGEST_CHARACTER_BYTES = 3;

/** A truncated body with a mark at its end, and its full length. */
interface CutBody {
  readonly text: string;
  readonly bytes: number;
}

/** Returns undefined for a body within the limit. */
export function cutBody(body: string): CutBody | undefined {
  if (body.length * LONGEST_CHARACTER_BYTES <= KEPT_BODY_BYTES) return undefined;
  const bytes = Buffer.byteLength(body);
  if (bytes <= KEPT_BODY_BYTES) return undefined;
  const beginning = Buffer.from(body.slice(0, KEPT_BODY_BYTES));
  let end = KEPT_BODY_BYTES;
  // A character that does not fit is dropped whole.
  while (isInsideCharacter(beginning[end])) end--;
  // Decoded from bytes: a slice of a string would keep the whole in memory.
  return { text: `${beginning.toString("utf8", 0, end)}… [cut: ${bytes} bytes in all]`, bytes };
}

function isInsideCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
