// docs/control-api.md: every operation of the control API, from its OpenAPI document, which is made from the rows.
import { code, definitions, firstSentence, page } from "./markdown.mjs";

const INTRODUCTION = `Everything under \`/_sandbox\` controls the sandbox; none of it is part of the service. Here ten seconds pass, and the next quote fails:

<!-- run: control -->
\`\`\`sh
curl -sS http://127.0.0.1:4402/_sandbox/clock/advance -d '{"by": "10s"}' -w '\\n'
curl -sS http://127.0.0.1:4402/_sandbox/faults -w '\\n' \\
  -d '{"match": {"operation": "createQuote"}, "respond": {"status": 503}, "times": 1}'
\`\`\`

It prints

\`\`\`text
{"from":"…","to":"…","fired":[],"fired_total":0,"counts":{},"first":[],"failures":[]}
{"fault_id":"flt_…","match":{"operation":"createQuote"},"respond":{"status":503},"times":1,"applied":0}
\`\`\`

- **What is wrong, what now?** A charge and a payout say \`why\`, \`next_step\` and how their \`webhooks\` stand, a receiver its \`health\`;
  \`GET /_sandbox/attention\` lists what is wrong, worst first, and an advance answers what happened.
- **In a test** \`sandbox.run("advanceClock", { by: "10s" })\` makes a call by its id, with all its fields in one object; not \`getHealth\` and
  \`followStream\`.
- **Shapes and errors** are in \`GET /_sandbox/docs\` and \`GET /_sandbox/openapi.json\`. An unknown field or query parameter gets 400 with its name.
- **Lists** are newest first, accept \`limit\` (1 to 100, default 50) and \`offset\`, and return \`{total, items}\`; a page that ends at 8 MiB has
  \`next\`, the following offset.
- **Below**, \`{to, reason?}\` are fields of the body, and \`?mode\` (\`test\` or \`live\`) is a query parameter. \`?wait=10s\` waits for an advance,
  \`?of=server\` covers all namespaces. \`metadata.KEY\` stands for any key.`;

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
          firstSentence(operation.description).replace(", newest first", ""),
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
