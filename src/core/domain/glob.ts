/** Placeholders of unescaped wildcards: Unicode noncharacters, which no text contains. */
const STAR = "\uFFFE";
const ANY = "\uFFFF";

/**
 * Returns true if the glob matches the whole text. `*` matches any run of characters and `?` any character. A
 * backslash escapes a wildcard: `\*` matches a star, and `\\*` matches a backslash followed by any text.
 */
export function globMatches(glob: string, text: string): boolean {
  return glob.includes("\\")
    ? matchesUnescaped(unescaped(glob), text, STAR, ANY)
    : matchesUnescaped(glob, text, "*", "?");
}

/** Compiles a glob for many texts; fast if it has no wildcard, or a single star at its beginning or end. */
export function compileGlob(glob: string): (text: string) => boolean {
  const plain = glob.replaceAll("*", "");
  if (/[?\\]/.test(glob) || glob.length - plain.length > 1) return (text) => globMatches(glob, text);
  if (plain === glob) return (text) => text === glob;
  if (glob.endsWith("*")) return (text) => text.startsWith(plain);
  if (glob.startsWith("*")) return (text) => text.endsWith(plain);
  return (text) => globMatches(glob, text);
}

/** Returns true if the glob has an unescaped wildcard. */
export function hasWildcard(glob: string): boolean {
  return /[*?]/.test(glob) && (!glob.includes("\\") || /[\uFFFE\uFFFF]/.test(unescaped(glob)));
}

/** Replaces wildcards by `STAR` and `ANY`, and removes the backslashes of escaped wildcards. */
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

/** Matches a glob with the given wildcards: first both ends, then the parts between stars from left to right. */
function matchesUnescaped(glob: string, text: string, starSign: string, anySign: string): boolean {
  const star = glob.indexOf(starSign);
  const any = anySign.charCodeAt(0);
  if (star === -1) return glob.length === text.length && matchesAt(glob, 0, text, 0, glob.length, any);
  const lastStar = glob.lastIndexOf(starSign);
  const tail = glob.length - lastStar - 1;
  let from = star;
  const to = text.length - tail;
  if (
    from > to ||
    !matchesAt(glob, 0, text, 0, star, any) ||
    !matchesAt(glob, lastStar + 1, text, to, tail, any)
  )
    return false;
  if (star === lastStar) return true;
  for (const part of glob.slice(star + 1, lastStar).split(starSign)) {
    const index = indexOf(part, text, from, to, anySign);
    if (index === -1) return false;
    from = index + part.length;
  }
  return true;
}

/** An absent value matches no glob. */
export function matchesAnyGlob(globs: string | readonly string[], text: string | null | undefined): boolean {
  if (text === null || text === undefined) return false;
  return typeof globs === "string" ? globMatches(globs, text) : globs.some((glob) => globMatches(glob, text));
}

/** Returns true if `length` characters of the glob, none of them a star, match the text. */
function matchesAt(
  glob: string,
  inGlob: number,
  text: string,
  inText: number,
  length: number,
  any: number,
): boolean {
  for (let i = 0; i < length; i++) {
    const code = glob.charCodeAt(inGlob + i);
    if (code !== any && code !== text.charCodeAt(inText + i)) return false;
  }
  return true;
}

/** Finds a part without stars in `text.slice(from, to)`; returns -1 if it is not there. */
function indexOf(part: string, text: string, from: number, to: number, anySign: string): number {
  const index = part.includes(anySign)
    ? indexOfPattern(part, text, from, to, anySign)
    : text.indexOf(part, from);
  return index + part.length <= to ? index : -1;
}

const BITS = 32;

/**
 * Finds a part with question marks by shift-and search, in about text length × part length ÷ 32 steps.
 * Bit i of `prefixes` is set if the text read so far ends with the first i + 1 characters of the part.
 */
function indexOfPattern(part: string, text: string, from: number, to: number, anySign: string): number {
  const words = Math.ceil(part.length / BITS);
  const any = new Int32Array(words);
  const masks = new Map<string, Int32Array>();
  for (let i = 0; i < part.length; i++) if (part[i] === anySign) any[i >> 5]! |= 1 << i;
  for (let i = 0; i < part.length; i++) {
    if (part[i] === anySign) continue;
    let mask = masks.get(part[i]!);
    if (mask === undefined) masks.set(part[i]!, (mask = any.slice()));
    mask[i >> 5]! |= 1 << i;
  }
  const prefixes = new Int32Array(words);
  const last = part.length - 1;
  for (let t = from; t < to; t++) {
    const allowed = masks.get(text[t]!) ?? any;
    let carry = 1;
    for (let word = 0; word < words; word++) {
      const before = prefixes[word]!;
      prefixes[word] = ((before << 1) | carry) & allowed[word]!;
      carry = before >>> (BITS - 1);
    }
    if ((prefixes[last >> 5]! >>> last) & 1) return t - last;
  }
  return -1;
}
