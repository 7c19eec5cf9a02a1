// Input fields of each operation of the control API as data, so that a client makes flags without loading the server.

export const INPUTS_FILE = "src/cli/client/operation-inputs.ts";

const KINDS = { integer: "number", number: "number", boolean: "boolean", array: "list", object: "object" };

/** @param document the OpenAPI document of the control API */
export function operationInputsText({ paths, components }) {
  const resolve = (schema) =>
    schema?.$ref === undefined ? schema : resolve(components.schemas[schema.$ref.split("/").at(-1)]);
  const kindOf = (schema) => KINDS[resolve(schema).type] ?? "text";
  const operations = Object.values(paths).flatMap((path) =>
    Object.values(path).filter(({ operationId }) => operationId !== undefined),
  );
  const rows = operations.map(({ operationId, parameters = [], requestBody }) => {
    const body = resolve(Object.values(requestBody?.content ?? {})[0]?.schema);
    const schemas = new Map([
      ...parameters.filter((one) => one.in !== "header").map(({ name, schema }) => [name, schema]),
      ...Object.entries(body?.properties ?? {}),
    ]);
    const fields = [...schemas].map(([name, schema]) => `${name}: "${kindOf(schema)}"`);
    return `  ${operationId}: { ${fields.join(", ")} },\n`;
  });
  return `// Written by \`npm run build\` from the OpenAPI document of the control API.

/** The control API: operation → fields of its input, of path, query and body together, and the kind of each. */
export const OPERATION_INPUTS = {
${rows.join("").replaceAll("{  }", "{}")}} as const;
`;
}
