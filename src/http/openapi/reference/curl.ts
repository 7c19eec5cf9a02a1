import type { Listed } from "./model.js";

/**
 * The call as a command to paste into a shell. Ids that an earlier answer gave are shell variables; without one
 * the command says which is missing.
 */
export function curlOf(
  { method, path, operation }: Listed,
  baseUrl: string,
  apiKey: string | undefined,
): string {
  const needed = new Set<string>();
  const variable = (name: string) => {
    const shell = name.toUpperCase();
    needed.add(`: "\${${shell}:?take it from a response}"`);
    return `$${shell}`;
  };
  const url = `${baseUrl}${path.replace(/\{(\w+)\}/g, (_all, name: string) => variable(name))}`;
  const [example] = Object.values(operation.requestBody?.content["application/json"].examples ?? {});
  const isOpen = apiKey === undefined || operation.security?.length === 0;
  const lines = [
    `curl${method === "GET" ? "" : ` -X ${method}`} "${url}"`,
    ...(isOpen ? [] : [`-H "Authorization: Bearer ${apiKey}"`]),
    ...(operation.parameters?.some(({ name }) => name === "Idempotency-Key")
      ? ['-H "Idempotency-Key: rent-1-first-try"']
      : []),
  ];
  if (example === undefined) return [...needed, lines.join(" \\\n  ")].join("\n");
  const body = JSON.stringify(
    example.value,
    (name, value: unknown) =>
      // The name of a merchant's own order is no id of ours.
      (name === "quote_id" || name === "destination_id") && typeof value === "string" ? `\0${name}` : value,
    2,
  )
    .replace(/[\\$`]/g, "\\$&")
    .replace(/\\\\u0000(\w+)/g, (_all, name: string) => variable(name));
  lines.push('-H "Content-Type: application/json"', `-d @- <<JSON\n${body}\nJSON`);
  return [...needed, lines.join(" \\\n  ")].join("\n");
}
