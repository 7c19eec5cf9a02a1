/** Nobody means anything by a longer word, and holding two against each other costs the product of their lengths. */
const LONGEST_WORD = 200;

/** The known word that is only a slip away from what was written, if there is one. */
export function nearest(word: string, known: readonly string[]): string | undefined {
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
        sharedStart(word, candidate) > sharedStart(word, best));
    if (isNearer) [best, bestDistance] = [candidate, distance];
  }
  return best ?? partOf(word, known);
}

/** The only one that has the word in it: `email` for `customer_email`. */
function partOf(word: string, known: readonly string[]): string | undefined {
  const [first, ...others] = known.filter((one) => one.split("_").includes(word.toLowerCase()));
  return others.length === 0 ? first : undefined;
}

/** What is added to a fault about a word: the known one it is only a slip away from, else what is said instead. */
export function didYouMean(word: string, known: readonly string[], otherwise = ""): string {
  const near = nearest(word, known);
  return near === undefined ? otherwise : `; did you mean ${near}?`;
}

/** How many letters two words begin with alike: slips are rarer there. */
function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length]!.toLowerCase() === b[length]?.toLowerCase()) length++;
  return length;
}

/** How many letters were left out, put in, mistaken or swapped with the next: a row at a time. */
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
