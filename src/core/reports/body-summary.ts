import { parseJsonOrText } from "../schema/json-objects.js";

/** An error page is recognized by its beginning; bounds the work of the patterns below. */
const MAX_PAGE_CHARS = 4_096;

/** The title of an HTML page, the error of a JSON body, or else the body itself. */
export function summarizeBody(body: string): string {
  const text = body.trim();
  if (text.startsWith("<")) return pageTitle(text.slice(0, MAX_PAGE_CHARS)) ?? text;
  const json = parseJsonOrText(text);
  if (typeof json !== "object" || json === null) return text;
  return errorText(json as JsonObject) ?? JSON.stringify(json);
}

type JsonObject = Readonly<Record<string, unknown>>;

function errorText({ code, error, message, detail, title }: JsonObject): string | undefined {
  if (typeof error === "object" && error !== null) return errorText(error as JsonObject);
  const name = [code, error].map(textOf).find(Boolean);
  const sentence = [message, detail, title].map(textOf).find(Boolean);
  return [name, sentence].filter(Boolean).join(": ") || undefined;
}

/** A text, or a list of texts as one; "" for anything else. */
function textOf(value: unknown): string {
  return [value].flat().every((part) => typeof part === "string") ? [value].flat().join("; ") : "";
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  nbsp: " ",
};

function pageTitle(page: string): string | undefined {
  for (const tag of ["title", "h1"]) {
    const [, content = ""] = new RegExp(`<${tag}\\b[^>]*>([^<]*)`, "i").exec(page) ?? [];
    const text = content.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_all, name: string) => ENTITIES[name]!);
    if (text.trim() !== "") return text.replace(/\s+/g, " ").trim();
  }
  return undefined;
}
