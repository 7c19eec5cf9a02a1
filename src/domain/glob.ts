/** Wildcards of a parsed glob; every other token is one UTF-16 unit of text. */
const STAR = Symbol("any run of characters");
const ANY = Symbol("any one character");
type Token = string | typeof STAR | typeof ANY;

/** Whether the text matches: `*` is any run of characters, `?` any one; `\*` and `\?` are literal, `\\` before them is one backslash. */
export function globMatches(glob: string, text: string): boolean {
  return /[*?\\]/.test(glob) ? fits(parse(glob), text) : glob === text;
}

/** The same for one glob and many texts: the glob is parsed once. */
export function compiledGlob(glob: string): (text: string) => boolean {
  const tokens = parse(glob);
  return (text) => fits(tokens, text);
}

/** Whether a glob has a wildcard that is not escaped. */
export function isWild(glob: string): boolean {
  return parse(glob).some((token) => typeof token === "symbol");
}

/** Whether any of the globs matches; a missing value matches none. */
export function anyGlobMatches(globs: string | readonly string[], text: string | null | undefined): boolean {
  if (text === null || text === undefined) return false;
  return typeof globs === "string" ? globMatches(globs, text) : globs.some((glob) => globMatches(glob, text));
}

function parse(glob: string): Token[] {
  const tokens: Token[] = [];
  for (const [unit, slashes, sign] of glob.matchAll(/(\\*)([*?])|[\s\S]/g))
    if (slashes === undefined) tokens.push(unit);
    else {
      tokens.push(..."\\".repeat(slashes.length >> 1));
      tokens.push(slashes.length % 2 === 1 ? sign! : sign === "*" ? STAR : ANY);
    }
  return tokens;
}

/** On a mismatch the last star takes one character more: at most glob × text steps, and globs are short. */
function fits(glob: readonly Token[], text: string): boolean {
  let at = 0;
  let star = -1;
  let begin = 0;
  for (let i = 0; i < text.length; ) {
    const token = glob[at];
    if (token === STAR) {
      star = at++;
      begin = i;
    } else if (token === ANY || token === text[i]) {
      at++;
      i++;
    } else {
      if (star === -1) return false;
      at = star + 1;
      i = ++begin;
    }
  }
  while (glob[at] === STAR) at++;
  return at === glob.length;
}
