// Parts of Markdown that the pages are made of.

export const GENERATED = "<!-- Written by `npm run docs`. -->";

/** @param {string} text */
export const code = (text) => `\`${text}\``;

const line = (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
export function table(head, rows) {
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

/**
 * @param {readonly (readonly [string, string])[]} rows a term and what it means, which may be empty
 */
export const definitions = (rows) =>
  rows.map(([term, meaning]) => `- ${term}${meaning === "" ? "" : `: ${meaning}`}`).join("\n");

/** @param {string} text */
export const firstSentence = (text) => /^.*?(?:[.!?](?=\s|$)|$)/s.exec(text)[0];

/** @param {readonly string[]} blocks parts of a page, a blank line between them */
export function page(title, blocks) {
  return `${[`# ${title}`, GENERATED, ...blocks].join("\n\n")}\n`;
}
