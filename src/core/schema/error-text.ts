/**
 * The text of anything that was thrown, never empty. A refused connection to `localhost` gives an AggregateError, whose
 * message is empty: its text is those of its causes, one for each address.
 */
export function errorText(thrown: unknown): string {
  return textOf(thrown, new Set());
}

function textOf(thrown: unknown, seen: Set<unknown>): string {
  seen.add(thrown);
  if (typeof thrown === "string" && thrown.trim() !== "") return thrown;
  if (typeof thrown !== "object" || thrown === null)
    return `something was thrown that is no error: ${typeof thrown === "string" ? JSON.stringify(thrown) : String(thrown)}`;
  // Does not use instanceof, because test runners have their own Error.
  const { message, code, name, errors, cause, stack } = thrown as Partial<
    NodeJS.ErrnoException & AggregateError
  >;
  if (typeof message === "string" && message.trim() !== "") return message;
  const causes = [...(Array.isArray(errors) ? errors : []), ...(cause === undefined ? [] : [cause])];
  const texts = causes.filter((one) => !seen.has(one)).map((one) => textOf(one, seen));
  if (texts.length > 0) return [...new Set(texts)].join("; ");
  if (typeof code === "string" && code !== "") return code;
  const place = typeof stack === "string" ? stackPlace(stack) : undefined;
  return `${name || "something"} was thrown without a message${place === undefined ? "" : ` (${place})`}`;
}

/** The file and line where an error was made; undefined if its stack names none. */
export function stackPlace(stack: string): string | undefined {
  for (const line of stack.split("\n")) {
    const call = line.trim();
    if (!call.startsWith("at ")) continue;
    const place = call.slice(Math.max(call.lastIndexOf("("), call.lastIndexOf(" ")) + 1).replace(/\)$/, "");
    if (/^(?:file:|node:|\/|[A-Za-z]:)/.test(place)) return place;
  }
  return undefined;
}
