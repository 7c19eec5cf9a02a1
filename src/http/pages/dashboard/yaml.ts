/** Plain JSON as YAML that people read; what a line holds stays on a line. */
export function yamlOf(value: unknown): string {
  return `${lines(value).join("\n")}\n`;
}

const MOST_ON_A_LINE = 90;

function lines(value: unknown): string[] {
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((one) => {
      const [first, ...more] = isScalar(one) || isShort(one) ? [flow(one)] : lines(one);
      return [`- ${first}`, ...more.map((line) => `  ${line}`)];
    });
  if (typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0)
    return Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .flatMap(([name, one]) => {
        const key = word(name);
        if (typeof one === "string" && one.includes("\n")) return [`${key}: |`, ...block(one)];
        if (isScalar(one) || isEmpty(one) || (!Array.isArray(one) && isShort(one)))
          return [`${key}: ${flow(one)}`];
        return [`${key}:`, ...lines(one).map((line) => `  ${line}`)];
      });
  return [flow(value)];
}

function block(text: string): string[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => (line === "" ? "" : `  ${line}`));
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function isShort(value: unknown): boolean {
  const text = flow(value);
  return text.length <= MOST_ON_A_LINE && !text.includes("\\n");
}

function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).filter(([, one]) => one !== undefined);
    return fields.length === 0
      ? "{}"
      : `{ ${fields.map(([name, one]) => `${word(name)}: ${flow(one)}`).join(", ")} }`;
  }
  return typeof value === "string" ? word(value) : JSON.stringify(value);
}

/** Text that nobody takes for anything else stands without quotes. */
function word(text: string): string {
  if (/^\d+(ms|s|m|h|d)$/.test(text)) return text;
  const isPlain =
    /^[A-Za-z][\w./@-]*( [\w./@-]+)*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}
