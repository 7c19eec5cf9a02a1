// DER (X.690), as far as a certificate needs it: a value is its tag, its length and its content.

/** A value of that tag; its content is one text of bytes, or values one after the other. */
export function tagged(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(content);
  return Buffer.concat([Buffer.of(tag), lengthOf(bytes), bytes]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => tagged(0x30, ...parts);
export const setOf = (...parts: readonly Uint8Array[]): Buffer => tagged(0x31, ...parts);
/** Positive, and without zeros before it. */
export const integer = (bytes: Uint8Array): Buffer => tagged(0x02, bytes);
export const truth = (): Buffer => tagged(0x01, Buffer.of(0xff));
export const octets = (content: Uint8Array): Buffer => tagged(0x04, content);
export const utf8 = (text: string): Buffer => tagged(0x0c, Buffer.from(text));

/** Bits from the left; so many at the end of the last byte mean nothing. */
export function bits(content: Uint8Array, unused = 0): Buffer {
  return tagged(0x03, Buffer.of(unused), content);
}

/** An object identifier, of its usual form: `2.5.29.19`. */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(inSevens)));
}

/** An instant to the second, in the form that RFC 5280 has for its year. */
export function time(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, "");
  return Number(text.slice(0, 4)) < 2050
    ? tagged(0x17, Buffer.from(text.slice(2)))
    : tagged(0x18, Buffer.from(text));
}

/** The same in text, as files have it. */
export function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

function lengthOf({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.of(length);
  return length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff);
}

/** Seven bits a byte; all bytes but the last have the eighth set. */
function inSevens(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
