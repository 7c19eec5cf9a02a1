/** Maximum word length for suggestions, because comparison time grows with the product of two lengths. */
const LONGEST_WORD = 200;

export function findNearestWord(word: string, known: readonly string[]): string | undefined {
  if (word.length > LONGEST_WORD) return undefined;
  const allowed = Math.max(1, Math.floor(word.length / 3));
  let best: string | undefined;
  let bestDistance = allowed + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) > allowed) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    const isNearer =
      distance < bestDistance ||
      (best !== undefined &&
        distance === bestDistance &&
        commonPrefixLength(word, candidate) > commonPrefixLength(word, best));
    if (isNearer) [best, bestDistance] = [candidate, distance];
  }
  return best ?? codeLike(word, known) ?? wordContaining(word, known);
}

/** Returns the only currency code with the word's first letter and then another of its letters: KES for KSh. */
function codeLike(word: string, known: readonly string[]): string | undefined {
  const code = word.toUpperCase();
  if (!/^[A-Z]{3}$/.test(code)) return undefined;
  const pattern = new RegExp(`^${code[0]}(?=.{2}$).*[${code.slice(1)}]`);
  const [first, ...others] = known.filter((name) => pattern.test(name));
  return others.length === 0 ? first : undefined;
}

/** Returns the only known name that contains the word, such as `customer_email` for `email`. */
function wordContaining(word: string, known: readonly string[]): string | undefined {
  const [first, ...others] = known.filter((name) => name.split("_").includes(word.toLowerCase()));
  return others.length === 0 ? first : undefined;
}

/** Suffix of an error message: suggests the nearest known word, else the fallback. */
export function didYouMean(word: string, known: readonly string[], fallback = ""): string {
  const suggestion = findNearestWord(word, known);
  return suggestion === undefined ? fallback : `; did you mean ${suggestion}?`;
}

/** Length of the common prefix; typos are rare at the start. */
function commonPrefixLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length]!.toLowerCase() === b[length]?.toLowerCase()) length++;
  return length;
}

/** Damerau–Levenshtein distance: insertions, deletions, substitutions, swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const edited = Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (isSame ? 0 : 1));
      next.push(isSwap ? Math.min(edited, before[j - 2]! + 1) : edited);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
