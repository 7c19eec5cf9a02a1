/** Placeholders of unescaped wildcards: Unicode noncharacters, which no text contains. */
const STAR = "\uFFFE";
const ANY = "\uFFFF";

/**
 * Returns true if the glob matches the whole text. `*` matches any run of characters and `?` any character. A
 * backslash escapes a wildcard: `\*` matches a star, and `\\*` matches a backslash followed by any text.
 */
export function globMatches(glob: string, text: string): boolean {
  if (!/[*?\\]/.test(glob)) return glob === text;
  return glob.includes("\\") ? matches(unescaped(glob), text, STAR, ANY) : matches(glob, text, "*", "?");
}

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

/** After a mismatch, the last star takes one more character. */
function matches(glob: string, text: string, star: string, any: string): boolean {
  let inGlob = 0;
  let inText = 0;
  let afterStar = 0;
  let retryFrom = 0;
  while (inText < text.length) {
    const sign = glob[inGlob];
    if (sign === star) {
      afterStar = ++inGlob;
      retryFrom = inText;
    } else if (sign === text[inText] || sign === any) {
      inGlob++;
      inText++;
    } else {
      if (afterStar === 0) return false;
      inGlob = afterStar;
      inText = ++retryFrom;
    }
  }
  while (glob[inGlob] === star) inGlob++;
  return inGlob === glob.length;
}

/** An absent value matches no glob. */
export function matchesAnyGlob(globs: string | readonly string[], text: string | null | undefined): boolean {
  if (text === null || text === undefined) return false;
  return typeof globs === "string" ? globMatches(globs, text) : globs.some((glob) => globMatches(glob, text));
}
