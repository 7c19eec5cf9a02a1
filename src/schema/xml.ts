const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as HTML and XML have it, between tags and in quotes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]!);
}

type Attributes = Readonly<Record<string, string | number>>;

/** Text for XML 1.0; what may not stand in it in any form is shown by a replacement character. */
export function xmlText(text: string): string {
  return escaped(text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD"));
}

/** An element in a line; its content is XML already. */
export function element(name: string, attributes: Attributes, content?: string): string {
  const open = opened(name, attributes);
  return content === undefined ? `<${open}/>` : `<${open}>${content}</${name}>`;
}

/** An element of several lines, those of its content further in. */
export function block(name: string, attributes: Attributes, content: readonly string[]): string[] {
  return [`<${opened(name, attributes)}>`, ...content.map((line) => `  ${line}`), `</${name}>`];
}

function opened(name: string, attributes: Attributes): string {
  const said = Object.entries(attributes).map(([key, value]) => `${key}="${attributeText(String(value))}"`);
  return [name, ...said].join(" ");
}

/** Whoever reads an attribute takes its line ends and tabs for spaces. */
function attributeText(value: string): string {
  return xmlText(value).replace(/[\t\n\r]/g, (space) => `&#${space.charCodeAt(0)};`);
}

/** A report of tests as JUnit XML has it. */
export function junitFile(attributes: Attributes, suites: readonly string[]): string {
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', ...block("testsuites", attributes, suites), ""];
  return lines.join("\n");
}

/** How long something took, as JUnit XML has it. */
export function seconds(durationMs: number): string {
  return (durationMs / 1_000).toFixed(3);
}
