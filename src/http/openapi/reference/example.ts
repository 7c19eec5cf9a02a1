import type { Listed } from "./model.js";

/** A call with the values of its example, for whatever language it is then written in. */
export interface CallExample {
  readonly method: string;
  /** With parameters in braces. */
  readonly url: string;
  /** The names of all that an earlier response gave: parameters of the path and fields of the body. */
  readonly ids: readonly string[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: unknown;
  /** Whether its response goes on and on. */
  readonly isStream: boolean;
}

/** @param apiKey undefined where calls need none */
export function exampleOf(
  { method, path, operation }: Listed,
  baseUrl: string,
  apiKey: string | undefined,
): CallExample {
  const { security, parameters, requestBody, responses } = operation;
  const [example] = Object.values(requestBody?.content["application/json"].examples ?? {});
  const body = example?.value;
  const needsNoKey = apiKey === undefined || security?.length === 0;
  return {
    method,
    url: `${baseUrl}${path}`,
    ids: [...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!), ...idsIn(body)],
    headers: [
      ...(needsNoKey ? [] : [["Authorization", `Bearer ${apiKey}`] as const]),
      ...(parameters?.some(({ name }) => name === "Idempotency-Key")
        ? [["Idempotency-Key", "rent-1-first-try"] as const]
        : []),
      ...(body === undefined ? [] : [["Content-Type", "application/json"] as const]),
    ],
    body,
    isStream: responses[200]?.content?.["application/json"] === undefined,
  };
}

/** Whether a field of a body is an id that an earlier response gave. The name of a merchant's own order is none. */
export function isIdOf(name: string, value: unknown): value is string {
  return (name === "quote_id" || name === "destination_id") && typeof value === "string";
}

function idsIn(body: unknown): string[] {
  const ids: string[] = [];
  JSON.stringify(body, (name, value: unknown) => {
    if (isIdOf(name, value)) ids.push(name);
    return value;
  });
  return ids;
}
