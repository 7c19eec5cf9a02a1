export interface SourceLine {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

export interface StepLocation extends SourceLine {
  /** Line of a field by its dotted path, or of its nearest parent in the file. */
  lineOf(field: string): number;
}

const MAX_TITLE_LENGTH = 72;

/** The step's name, or its action in a few words. */
export function stepTitle(kind: string, step: Readonly<Record<string, unknown>>): string {
  if (typeof step.name === "string") return step.name;
  const values = [brief(step[kind]), brief(step.match)].filter((part) => part !== "").join(" ");
  const text = `${kind.replaceAll("_", " ")} ${values}`.trimEnd();
  return text.length > MAX_TITLE_LENGTH ? `${text.slice(0, MAX_TITLE_LENGTH - 1)}…` : text;
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
