// The words of the schemas, for the package's types.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { withSource } from "./source.mjs";

/** What the modules with schemas export, by path, `#` and name; the options of the library by the type's name. */
export function readDescribed(root) {
  const paths = readdirSync(join(root, "src/core/schema"), { recursive: true })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `core/schema/${file.replaceAll("\\", "/").slice(0, -3)}`)
    .concat("library/library-options", "server/control/operations");
  const files = Object.fromEntries(paths.map((path) => [path, `src/${path}.ts`]));
  return withSource(root, files, async (modules) => {
    const values = Object.entries(modules).flatMap(([path, exported]) =>
      Object.entries(exported).map(([name, value]) => [`${path}#${name}`, value]),
    );
    const { OPTIONS } = modules["core/schema/option-table"];
    const { libraryName } = modules["library/library-options"];
    const options = Object.entries(OPTIONS).map(([name, { schema, library }]) => [
      libraryName(name),
      { schema, note: library },
    ]);
    const { OUTPUTS } = modules["core/schema/outputs"];
    const { CONTROL_OPERATIONS } = modules["server/control/operations"];
    const operations = CONTROL_OPERATIONS.map(({ id, summary, description, input, output }) => [
      id,
      {
        note: `${summary}. ${description}`,
        schema: { input: { schema: input }, output: { schema: OUTPUTS[output] } },
      },
    ]);
    return {
      ...Object.fromEntries(values),
      SandboxOptions: Object.fromEntries(options),
      ControlOperations: Object.fromEntries(operations),
    };
  });
}

/** The members of a union, or the schema itself, without `optional` and the like. */
function alternatives(schema) {
  const { type, innerType, options, getter, in: input } = schema?._zod?.def ?? {};
  if (type === "union") return options.flatMap(alternatives);
  const inner = innerType ?? (type === "lazy" ? getter() : type === "pipe" ? input : undefined);
  return inner === undefined ? [schema] : alternatives(inner);
}

/** The schema that `optional` and the like wrap. */
export function unwrapped(schema) {
  const { innerType } = schema?._zod?.def ?? {};
  return innerType === undefined ? schema : unwrapped(innerType);
}

/** The schema of the elements of a list or the values of a record. */
export function schemaOfParts(schema) {
  const { element, valueType } = unwrapped(schema)?._zod?.def ?? {};
  return element ?? valueType;
}

/** The values of an enumeration, a list or the keys of a table. */
export function literalsOf(words) {
  if (Array.isArray(words)) return words;
  const { entries } = unwrapped(words)?._zod?.def ?? {};
  return entries === undefined ? Object.keys(words ?? {}) : Object.values(entries);
}

/**
 * @param schema a schema, or the fields themselves by name
 * @param {string[]} names the fields of the type, by which it is found in a union
 * @param {(schema: unknown) => { fields: object } | undefined} describe
 * @returns {Record<string, { schema: unknown, note?: unknown }>}
 */
export function fieldsOfType(schema, names, describe) {
  if (schema === undefined) return {};
  if (schema._zod === undefined) return schema;
  const shapes = alternatives(schema).filter((one) => one?.shape !== undefined);
  const own = shapes.find((one) => Object.keys(one.shape).sort().join() === [...names].sort().join());
  const found = own ?? (shapes.length === 1 ? shapes[0] : undefined);
  if (found === undefined) return {};
  const fields = Object.entries(found.shape).map(([name, field]) => [name, { schema: field }]);
  return { ...Object.fromEntries(fields), ...describe(found)?.fields };
}

/** The words of a field as a comment; without the sentences that a namespace would have to complete. */
export function jsDocOf({ note } = {}, indent) {
  const words = (typeof note === "string" ? note : note?.description) ?? "";
  const text = words
    .split(/(?<=\.) /)
    .filter((sentence) => !sentence.includes("{{"))
    .join(" ")
    .replaceAll("*/", "*\\/");
  if (text === "") return "";
  if (text.length + indent.length <= 113) return `${indent}/** ${text} */\n`;
  const lines = text.replaceAll("\n", " ").match(/.{1,110}(?:\s|$)/g);
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line.trim()}\n`).join("")}${indent} */\n`;
}
