const LONGEST_TITLE = 72;

/** What a step does, in a few words. */
export function titleOf(kind: string, step: Readonly<Record<string, unknown>>): string {
  if (typeof step.name === "string") return step.name;
  const said = [brief(step[kind]), brief(step.match)].filter((part) => part !== "").join(" ");
  const text = `${kind.replaceAll("_", " ")} ${said}`.trimEnd();
  return text.length > LONGEST_TITLE ? `${text.slice(0, LONGEST_TITLE - 1)}…` : text;
}

function brief(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (Array.isArray(value))
    return value.every((part) => typeof part === "string") ? value.join(", ") : `(${value.length})`;
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(
      ([key, part]) =>
        `${key}: ${typeof part === "string" ? part : JSON.stringify(part).replaceAll('"', "")}`,
    )
    .join(", ");
}
