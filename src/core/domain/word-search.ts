const LETTER = /[\p{L}\p{M}\p{N}]/u;
const FIRST_LETTER = /^[\p{L}\p{M}\p{N}]/u;
const AMOUNT = /^\d+(\.\d+)?$/;
const GROUPED_AMOUNT = /^\d{1,3}(,\d{3})+(\.\d*)?$/;

/** Words of a search in lower case, amounts without thousands separators; empty if no word has a letter or digit. */
export function searchWords(search: string): string[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.some((word) => LETTER.test(word))) return [];
  return words.map((word) => (GROUPED_AMOUNT.test(word) ? word.replaceAll(",", "") : word));
}

/** Returns true if each word begins a word in one of the values. An amount is one word. */
export function matchesWords(
  words: readonly string[],
  values: readonly (string | null | undefined)[],
): boolean {
  return (
    words.length > 0 && words.every((word) => values.some((value) => value != null && beginsIn(value, word)))
  );
}

function beginsIn(value: string, word: string): boolean {
  if (AMOUNT.test(value)) return value.startsWith(word);
  const text = value.toLowerCase();
  for (let index = text.indexOf(word); index !== -1; index = text.indexOf(word, index + 1))
    if (index === 0 || !LETTER.test(text[index - 1]!) || !FIRST_LETTER.test(word)) return true;
  return false;
}
