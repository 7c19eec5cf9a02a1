/** The signs of a glob whose own are escaped somewhere: characters that no text has. */
const STAR = "\uFFFE";
const ANY = "\uFFFF";

/**
 * Whether the text matches the glob: `*` stands for any run of characters, `?` for one, all else for itself, and so do
 * those two behind a backslash; two backslashes before them are one.
 */
export function globMatches(glob: string, text: string): boolean {
  return glob.includes("\\") ? fits(unescaped(glob), text, STAR, ANY) : fits(glob, text, "*", "?");
}

/** The same for a glob that is held against many texts: a text that has no signs is compared, and so is one with a star at an end. */
export function compiledGlob(glob: string): (text: string) => boolean {
  const plain = glob.replaceAll("*", "");
  if (/[?\\]/.test(glob) || glob.length - plain.length > 1) return (text) => globMatches(glob, text);
  if (plain === glob) return (text) => text === glob;
  if (glob.endsWith("*")) return (text) => text.startsWith(plain);
  if (glob.startsWith("*")) return (text) => text.endsWith(plain);
  return (text) => globMatches(glob, text);
}

/** Whether a glob is more than a text: it has a sign that is not escaped. */
export function isWild(glob: string): boolean {
  return /[*?]/.test(glob) && (!glob.includes("\\") || /[\uFFFE\uFFFF]/.test(unescaped(glob)));
}

/** The glob with signs of ours for its own, and the escaped ones as they are meant. */
function unescaped(glob: string): string {
  let text = "";
  let slashes = 0;
  for (const char of glob) {
    if (char === "\\") {
      slashes++;
      continue;
    }
    const isSign = char === "*" || char === "?";
    text += "\\".repeat(isSign ? slashes >> 1 : slashes);
    text += !isSign || slashes % 2 === 1 ? char : char === "*" ? STAR : ANY;
    slashes = 0;
  }
  return text + "\\".repeat(slashes);
}

/** What stands between two stars is looked for from the left, each time behind what was found before. */
function fits(glob: string, text: string, starSign: string, anySign: string): boolean {
  const star = glob.indexOf(starSign);
  const any = anySign.charCodeAt(0);
  if (star === -1) return glob.length === text.length && isSame(glob, 0, text, 0, glob.length, any);
  const lastStar = glob.lastIndexOf(starSign);
  const tail = glob.length - lastStar - 1;
  let from = star;
  const to = text.length - tail;
  if (from > to || !isSame(glob, 0, text, 0, star, any) || !isSame(glob, lastStar + 1, text, to, tail, any))
    return false;
  if (star === lastStar) return true;
  for (const part of glob.slice(star + 1, lastStar).split(starSign)) {
    const at = indexOf(part, text, from, to, anySign);
    if (at === -1) return false;
    from = at + part.length;
  }
  return true;
}

/** Whether any of the globs matches; a value that is not there matches none. */
export function anyGlobMatches(globs: string | readonly string[], text: string | null | undefined): boolean {
  if (text === null || text === undefined) return false;
  return typeof globs === "string" ? globMatches(globs, text) : globs.some((glob) => globMatches(glob, text));
}

/** Whether so many characters of a glob without stars stand for those of the text. */
function isSame(
  glob: string,
  inGlob: number,
  text: string,
  inText: number,
  length: number,
  any: number,
): boolean {
  for (let i = 0; i < length; i++) {
    const wanted = glob.charCodeAt(inGlob + i);
    if (wanted !== any && wanted !== text.charCodeAt(inText + i)) return false;
  }
  return true;
}

/** Where a part without stars is first found between two places of the text; -1 when it is not there. */
function indexOf(part: string, text: string, from: number, to: number, anySign: string): number {
  const at = part.includes(anySign)
    ? indexOfPattern(part, text, from, to, anySign)
    : text.indexOf(part, from);
  return at + part.length <= to ? at : -1;
}

/** Bits of a word. */
const BITS = 32;

/**
 * The same for a part with question marks, in steps of text × part ÷ 32 whatever the two are made of: bit i of
 * `begun` says whether the last i + 1 characters of the text are the first i + 1 of the part.
 */
function indexOfPattern(part: string, text: string, from: number, to: number, anySign: string): number {
  const words = Math.ceil(part.length / BITS);
  const any = new Int32Array(words);
  const places = new Map<string, Int32Array>();
  for (let i = 0; i < part.length; i++) if (part[i] === anySign) any[i >> 5]! |= 1 << i;
  for (let i = 0; i < part.length; i++) {
    if (part[i] === anySign) continue;
    let of = places.get(part[i]!);
    if (of === undefined) places.set(part[i]!, (of = any.slice()));
    of[i >> 5]! |= 1 << i;
  }
  const begun = new Int32Array(words);
  const last = part.length - 1;
  for (let t = from; t < to; t++) {
    const allowed = places.get(text[t]!) ?? any;
    let carry = 1;
    for (let word = 0; word < words; word++) {
      const before = begun[word]!;
      begun[word] = ((before << 1) | carry) & allowed[word]!;
      carry = before >>> (BITS - 1);
    }
    if ((begun[last >> 5]! >>> last) & 1) return t - last;
  }
  return -1;
}
