import { MARKINGS } from "../schema/books.js";

/** Whether a word of the app means that an order is paid, or that it is not. */
export function markingOf(word: unknown): keyof typeof MARKINGS | undefined {
  if (typeof word !== "string") return undefined;
  const plain = word.toLowerCase().replace(/[\s_-]+/g, "_");
  return (Object.keys(MARKINGS) as (keyof typeof MARKINGS)[]).find((marking) =>
    (MARKINGS[marking] as readonly string[]).includes(plain),
  );
}
