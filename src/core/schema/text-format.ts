// Text functions without state: safe output for terminals, HTML and XML; conversions of names, keys and URLs.

/** Control characters, line separators, and format characters such as direction marks. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Makes foreign text safe for one line of a terminal: no line breaks, no control sequences. */
export function toPrintableLine(text: string): string {
  return text.replace(UNPRINTABLE, "\uFFFD");
}

/** Makes foreign text safe for a terminal; keeps line breaks and tabs. */
export function toPrintableLines(text: string): string {
  return text.replace(UNPRINTABLE, (char) => (char === "\n" || char === "\t" ? char : "\uFFFD"));
}

/** Applies `toPrintableLine` to every text in a value. */
export function toPrintableValue<Value>(value: Value): Value {
  if (typeof value === "string") return toPrintableLine(value) as Value;
  if (Array.isArray(value)) return value.map(toPrintableValue) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [toPrintableLine(name), toPrintableValue(part)]),
  ) as Value;
}

/** JSON for a terminal; control characters are escaped, so it parses back to the same value. */
export function toPrintableJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(UNPRINTABLE, (char) =>
    char === "\n"
      ? char
      : Array.from({ length: char.length }, (_unit, index) => escapeUnit(char.charCodeAt(index))).join(""),
  );
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

/** `"1234567.80"` → `"1,234,567.80"`. Works on the text: a number would lose digits. */
export function groupDigits(amount: string): string {
  const [, sign = "", whole = "", rest = ""] = /^(-?)(\d*)(.*)$/s.exec(amount)!;
  const first = whole.length % 3;
  const groups = [whole.slice(0, first), ...(whole.slice(first).match(/\d{3}/g) ?? [])];
  return sign + groups.filter((group) => group !== "").join(",") + rest;
}

/** `"-4300.00"` → `"−4,300.00"`, `"146.20"` → `"+146.20"`. */
export function signedAmount(amount: string): string {
  return amount.startsWith("-") ? `−${groupDigits(amount.slice(1))}` : `+${groupDigits(amount)}`;
}

/** "1 row", "2 rows". */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** `start_time` → `startTime`. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

/** `startTime` → `start_time`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Shortens a key: recognizable, but not usable. */
export function maskKey(key: string): string {
  return key.length <= 12 ? `${key.slice(0, 4)}…` : `${key.slice(0, 8)}…${key.slice(-4)}`;
}

/** Removes trailing slashes, so that a path can be appended. */
export function trimTrailingSlashes(address: string): string {
  let end = address.length;
  while (address[end - 1] === "/") end--;
  return address.slice(0, end);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char]!);
}

export function conditionText(value: unknown): string {
  if (Array.isArray(value)) return value.map(conditionText).join(" or ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** `customer_email declined@*, currency KES`; `verb` stands between a field and its value. */
export function conditionsText(match: object = {}, verb = " "): string {
  return Object.entries(match)
    .map(([name, value]) => name + verb + conditionText(value))
    .join(", ");
}

/** A URL relative to a page at `from`: it also leads there through a proxy that strips a prefix from paths. */
export function relativeUrl(from: string, path: string): string {
  return `${"../".repeat(from.split("/").length - 2)}${path.slice(1)}`;
}
