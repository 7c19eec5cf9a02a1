// docs/control-api.md: every operation of the control API, from its OpenAPI document, which is made from the rows.
import { code, definitions, firstSentence, page } from "./markdown.mjs";

const INTRODUCTION = `Everything under \`/_sandbox\` controls the sandbox and is not part of the emulated service. Requests and responses are JSON; errors have
the service's shape, \`{"error": {"code", "message", "details"?}}\`.
Shapes, errors and details are in \`GET /_sandbox/docs\` and \`GET /_sandbox/openapi.json\`. In the library,
\`sandbox.run("restoreSnapshot", { name: "paid" })\` calls an operation by its id, with the fields of path, query and body in one object; not
\`getHealth\` and \`followStream\`. In rules, \`operation: getCharge\` means the service's.

An unknown field or query parameter gets 400 with its name. Lists are newest first, accept \`limit\` (1 to 100, default 50) and
\`offset\`, and return \`{total, items}\`; a page that ends at 8 MiB has \`next\`, the following offset. Every response has
the sandbox time in \`Sandbox-Now\`. Below, \`{to, reason?}\` are fields of the body and \`?mode\` a query parameter; \`metadata.KEY\` stands
for any key.`;

/** Parameters that the introduction explains. */
const COMMON = new Set(["limit", "offset"]);

export function controlApiPage({ controlDocument }) {
  const document = controlDocument();
  const operations = operationsOf(document);
  const sections = document.tags.flatMap(({ name }) => [
    `## ${name}`,
    definitions(
      operations
        .filter(({ operation }) => operation.tags[0] === name)
        .map(({ method, path, operation }) => [
          [code(operation.operationId), code(`${method} ${path}`), ...inputOf(operation, document)].join(" "),
          firstSentence(operation.description),
        ]),
    ),
  ]);
  return page("The control API", [INTRODUCTION, ...sections]);
}

function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** Names of the body's fields and of the query's parameters. */
function inputOf({ parameters = [], requestBody }, document) {
  const query = parameters
    .filter((one) => one.in === "query" && !COMMON.has(one.name))
    .map(({ name, style }) => (style === "form" ? `${name}.KEY` : name));
  const fields = requestBody === undefined ? [] : fieldsOf(jsonSchemaOf(requestBody), document);
  return [
    ...(fields.length > 0 ? [code(`{${fields.join(", ")}}`)] : []),
    ...(query.length > 0 ? [code(`?${query.join(" ?")}`)] : []),
  ];
}

const jsonSchemaOf = ({ content }) => content["application/json"].schema;

function fieldsOf({ $ref, properties = {}, required = [], anyOf = [], oneOf = [], allOf = [] }, document) {
  if ($ref !== undefined) return fieldsOf(document.components.schemas[$ref.split("/").at(-1)], document);
  const own = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
  return [
    ...new Set([...own, ...[...anyOf, ...oneOf, ...allOf].flatMap((part) => fieldsOf(part, document))]),
  ];
}
