/** Control characters, and those that hide what stands beside them or turn it around. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** What somebody else wrote, as part of a line: it cannot start one of its own, nor move a terminal's cursor. */
export function oneLine(text: string): string {
  return text.replace(UNPRINTABLE, "\uFFFD");
}

/** The same for a text of several lines. */
export function printableLines(text: string): string {
  return text.replace(UNPRINTABLE, (sign) => (sign === "\n" || sign === "\t" ? sign : "\uFFFD"));
}

/** A copy with every text in it on one line. */
export function withOneLines<Value>(value: Value): Value {
  if (typeof value === "string") return oneLine(value) as Value;
  if (Array.isArray(value)) return value.map(withOneLines) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [oneLine(name), withOneLines(part)]),
  ) as Value;
}

/** JSON that a terminal can show: what it would obey is escaped, so that it reads back as it was. */
export function printableJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(UNPRINTABLE, (sign) =>
    sign === "\n"
      ? sign
      : Array.from({ length: sign.length }, (_unit, index) => escapedUnit(sign.charCodeAt(index))).join(""),
  );
}

function escapedUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

/** "1 row", "2 rows". */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
