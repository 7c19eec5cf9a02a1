// Method and path of each call of the control API as data, so that a client calls by id without loading the server.

export const OPERATIONS_FILE = "src/core/client/operations.ts";

/** @param {readonly { id: string, method: string, path: string, canWaitForClock?: boolean }[]} rows */
export function operationsText(rows) {
  const calls = rows.map(
    ({ id, method, path, canWaitForClock }) =>
      `  ${id}: "${method} ${path.replace(/:(\w+)/g, "{$1}")}${canWaitForClock ? "{?wait}" : ""}",\n`,
  );
  return `// Written by \`npm run build\` from the rows in src/server/control.

/** The control API: operation → method and path, with parameters as in a URI template. */
export const CONTROL_CALLS = {
${calls.join("")}} as const;
export type ControlOperationId = keyof typeof CONTROL_CALLS;
`;
}
