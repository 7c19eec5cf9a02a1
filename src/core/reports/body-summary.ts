import { parseJsonOrText } from "../schema/json-objects.js";

/** An error page is recognized by its beginning; bounds the work of the patterns below. */
const MAX_PAGE_CHARS = 4_096;
const MAX_LINE_CHARS = 300;

/** First line of the message of an HTML page, of the error of a JSON body, or else of the body itself. */
export function summarizeBody(body: string): string {
  const text = body.trim();
  const summary = text.startsWith("<") ? pageMessage(text.slice(0, MAX_PAGE_CHARS)) : messageOf(text);
  const line = (summary ?? text).split("\n")[0]!.replace(/\s+/g, " ");
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}…` : line;
}

function messageOf(text: string): string {
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

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " " };

/** Parts of an HTML page that may hold its message, the best first. Express puts it into a `<pre>` without attributes. */
const MESSAGE_PARTS = [
  /<pre>(.*?)(?:<\/pre|$)/is,
  /<title\b[^>]*>([^<]*)/i,
  /<h1\b[^>]*>(.*?)(?:<\/h1|$)/is,
  /(.*)/s,
];

function pageMessage(page: string): string | undefined {
  const shown = page.replace(/<(script|style)\b.*?(?:<\/\1>|$)/gis, "");
  const lines = MESSAGE_PARTS.flatMap((part, place) => {
    const markup = part.exec(shown)?.[1] ?? "";
    return textLines(place === 0 ? markup : markup.replace(/\s+/g, " "));
  });
  return lines.find((line) => !/^(error)?$/i.test(line)) ?? lines.find(Boolean);
}

/** Lines of an HTML text: each tag but an inline one ends a line. */
function textLines(markup: string): string[] {
  return markup
    .replace(/<\/?(a|b|code|em|i|small|span|strong)\b[^>]*>/gi, "")
    .split(/\n|<[^>]*>?/)
    .map((line) => decodeEntities(line).trim());
}

export function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,6})|#x([\da-f]{1,5})|(amp|lt|gt|quot|nbsp));/gi,
    (all, decimal, hex, name: string) => {
      if (name !== undefined) return ENTITIES[name] ?? all;
      return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal));
    },
  );
}
