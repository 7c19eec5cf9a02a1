const ANY = "?".charCodeAt(0);

/**
 * Whether the text matches the glob: `*` stands for any run of characters, `?` for one, all else for itself.
 * What stands between two stars is looked for from the left, each time behind what was found before.
 */
export function globMatches(glob: string, text: string): boolean {
  const star = glob.indexOf("*");
  if (star === -1) return glob.length === text.length && isSame(glob, 0, text, 0, glob.length);
  const lastStar = glob.lastIndexOf("*");
  const tail = glob.length - lastStar - 1;
  let from = star;
  const to = text.length - tail;
  if (from > to || !isSame(glob, 0, text, 0, star) || !isSame(glob, lastStar + 1, text, to, tail))
    return false;
  if (star === lastStar) return true;
  for (const part of glob.slice(star + 1, lastStar).split("*")) {
    const at = indexOf(part, text, from, to);
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
function isSame(glob: string, inGlob: number, text: string, inText: number, length: number): boolean {
  for (let i = 0; i < length; i++) {
    const wanted = glob.charCodeAt(inGlob + i);
    if (wanted !== ANY && wanted !== text.charCodeAt(inText + i)) return false;
  }
  return true;
}

/** Where a part without stars is first found between two places of the text; -1 when it is not there. */
function indexOf(part: string, text: string, from: number, to: number): number {
  const at = part.includes("?") ? indexOfPattern(part, text, from, to) : text.indexOf(part, from);
  return at + part.length <= to ? at : -1;
}

/** Bits of a word. */
const BITS = 32;

/**
 * The same for a part with question marks, in steps of text × part ÷ 32 whatever the two are made of: bit i of
 * `begun` says whether the last i + 1 characters of the text are the first i + 1 of the part.
 */
function indexOfPattern(part: string, text: string, from: number, to: number): number {
  const words = Math.ceil(part.length / BITS);
  const any = new Int32Array(words);
  const places = new Map<string, Int32Array>();
  for (let i = 0; i < part.length; i++) if (part[i] === "?") any[i >> 5]! |= 1 << i;
  for (let i = 0; i < part.length; i++) {
    if (part[i] === "?") continue;
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
