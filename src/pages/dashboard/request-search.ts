import { matchesWords, searchWords } from "../../core/domain/word-search.js";
import type { RequestEntry } from "../../core/namespace/request-journal.js";
import { parseJsonOrText } from "../../core/schema/depth.js";
import type { PageContext } from "./page-context.js";
import { isRequestInMode } from "./views/record-rows.js";

/** Calls with the words in their path, or in a value of their query or of a body. Names of fields are not searched. */
export function findRequestsByText(context: PageContext, search: string): RequestEntry[] {
  const words = searchWords(search);
  if (words.length === 0) return [];
  const patterns = words.map((word) => new RegExp(word.replace(/[^\p{L}\p{N}]/gu, "\\$&"), "i"));
  return context.namespace.journal
    .entries()
    .filter(
      (entry) =>
        isRequestInMode(context, entry) &&
        mayContain(entry, patterns) &&
        matchesWords(words, valuesOf(entry)),
    );
}

/** Returns false if a word is in no part of the call, so that few bodies are parsed. */
function mayContain({ url, requestBody, responseBody }: RequestEntry, patterns: readonly RegExp[]): boolean {
  const texts = [url, requestBody ?? "", responseBody ?? ""];
  const hasEscapes = texts.some((text) => text.includes("%") || text.includes("\\u"));
  return hasEscapes || patterns.every((pattern) => texts.some((text) => pattern.test(text)));
}

function valuesOf({ path, url, requestBody, responseBody }: RequestEntry): string[] {
  const values = [path, ...new URL(url, "http://sandbox").searchParams.values()];
  for (const body of [requestBody, responseBody])
    if (body !== null) collectValues(parseJsonOrText(body), values);
  return values;
}

function collectValues(value: unknown, values: string[]): void {
  if (typeof value === "object" && value !== null)
    for (const part of Object.values(value)) collectValues(part, values);
  else if (value !== null) values.push(String(value));
}
