// Tables of docs/api.md, docs/reconcile.md and docs/webhooks.md: operations, fields and statuses of the service.
import { code, definitions, table } from "./markdown.mjs";

/** The service's document with the shipped fixtures and settings. */
export async function shippedDocument(source) {
  const { fixtures } = await source.loadShippedContent();
  const facts = { catalogue: new source.Catalogue(fixtures), settings: source.DEFAULT_SETTINGS };
  return source.fillPlaceholders(source.serviceDocument(), source.createPlaceholderLookup(facts, "0.0.0"));
}

/** Marker → list or table. @param {string} text the page, whose sections have the fields of the operations */
export async function apiTables(source, text) {
  const { fixtures } = await source.loadShippedContent();
  const { paths, components } = await shippedDocument(source);
  const anchors = sectionAnchors(text);
  return {
    operations: definitions(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { operationId, summary, requestBody, responses }]) => {
          const anchor = anchorOf([requestBody, responses[200]], components.schemas, anchors);
          const id = anchor === undefined ? code(operationId) : `[${code(operationId)}](#${anchor})`;
          return [`${id} ${code(`${method.toUpperCase()} ${path}`)}`, summary];
        }),
      ),
    ),
    methods: table(
      ["method", "currencies", "fees"],
      fixtures.methods.map(({ id, currencies, fees }) => [
        code(id),
        currencies.join(", "),
        `${fees.platform_percent} % platform + ${fees.gateway_percent} % gateway`,
      ]),
    ),
    "charge statuses": chargeStatuses(source),
    "withdrawal statuses": withdrawalStatuses(source),
  };
}

/** Schema → anchor of the section that has its fields. */
function sectionAnchors(text) {
  const sections = text.split("\n### ").slice(1);
  return new Map(
    sections.flatMap((section) => {
      const anchor = /.*/.exec(section)[0].toLowerCase().replaceAll(" ", "-");
      const names = [...section.matchAll(FIELDS)].flatMap(([, , list]) => list.split(/, | - /));
      return names.map((name) => [name, anchor]);
    }),
  );
}

/** The section of the first schema that a part of the document refers to, itself or by another schema. */
function anchorOf(part, schemas, anchors) {
  const names = [...JSON.stringify(part).matchAll(/schemas\/(\w+)/g)].map(([, name]) => name);
  const found = names.find((name) => anchors.has(name));
  if (found !== undefined) return anchors.get(found);
  return names.map((name) => anchorOf(schemas[name], schemas, anchors)).find(Boolean);
}

const nextCell = ({ next }) => next.map(code).join(", ") || "final";

const eventCell = (type, { SERVICE_EVENT_TYPES }) =>
  SERVICE_EVENT_TYPES.includes(type) ? code(type) : "none";

function chargeStatuses(source) {
  return table(
    ["status", "means", "may become", "event"],
    Object.entries(source.CHARGE_STATUS_RULES.statuses).map(([status, rule]) => [
      code(status),
      source.CHARGE_STATUS_TABLE[status].meaning,
      nextCell(rule),
      eventCell(source.chargeEventType(status), source),
    ]),
  );
}

function withdrawalStatuses(source) {
  return table(
    ["status", "may become", "event"],
    Object.entries(source.WITHDRAWAL_STATUS_RULES.statuses).map(([status, rule]) => [
      code(status),
      nextCell(rule),
      eventCell(source.withdrawalEventType(status), source),
    ]),
  );
}

/** What an app should not do, for docs/api.md. */
export function adviceList({ BAD_HABITS }) {
  return definitions(
    Object.entries(BAD_HABITS).map(([id, { why, advice }]) => [code(id), `${why}. ${advice}`]),
  );
}

/** Words that `reconcile` understands as a status. */
export function statusWordTable({ MARKINGS, statusWordsOf }) {
  return table(
    ["means", "words"],
    MARKINGS.map((name) => [code(name), statusWordsOf(name).join(", ")]),
  );
}

const FIELDS = /(<!-- fields: ([\w ,-]+) -->\n)[\s\S]*?(<!-- \/fields -->)/g;

/** Shapes that the page tells in a sentence. */
const TOLD_IN_PROSE =
  /List$|^ApiError$|^ErrorInfo$|Event$|^(MobileMoney|CryptoWallet)Destination$|^(CurrencyCodes|WebhookUpdate|WebhookDeleted)$/;

/**
 * Fills in the types of a page, each block between comments that name its schemas, such as `Quote, Fees` or
 * `Charge - PayinSummary`. Every other schema with fields must be in one.
 */
export function withFields(text, { components: { schemas } }) {
  const added = [];
  const filled = text.replace(FIELDS, (_all, begin, names, end) => {
    const types = names.split(", ").map((one) => one.split(" - "));
    added.push(...types.map(([name]) => name));
    const said = new Set();
    const lines = types.map(([name, base]) => typeText(name, base, schemas, said)).join("\n");
    return `${begin}\`\`\`ts\n${lines}\n\`\`\`\n${end}`;
  });
  const told = (name) => added.includes(name) || TOLD_IN_PROSE.test(name);
  const missing = Object.keys(schemas).filter((name) => schemas[name].properties && !told(name));
  if (missing.length > 0) throw new Error(`docs/api.md: no block has the fields of ${missing.join(", ")}`);
  return filled;
}

/**
 * A schema as a TypeScript type; with `base`, what it has besides the fields of that one. Of fields of one
 * name the first has the meaning.
 */
function typeText(name, base, schemas, said) {
  const { properties, required = [] } = schemas[name];
  const left = base === undefined ? {} : schemas[base].properties;
  const fields = Object.entries(properties).filter(([field]) => !(field in left));
  const lines = fields.map(([field, schema]) => {
    const meaning = said.has(field) ? "" : meaningOf(field, schema);
    said.add(field);
    const isOptional = !required.includes(field);
    // The page says once that null in an optional field of a request is as absent.
    const type = isOptional ? typeOf(schema).replace(/ \| null$/, "") : typeOf(schema);
    return `  ${field}${isOptional ? "?" : ""}: ${type};${meaning === "" ? "" : ` // ${meaning}`}`;
  });
  return [`type ${name} = ${base === undefined ? "" : `${base} & `}{`, ...lines, "};"].join("\n");
}

function typeOf({ type, format, pattern, enum: values, $ref, items, anyOf }) {
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" | ");
  if ($ref !== undefined) return $ref.split("/").at(-1);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (items !== undefined) return `${typeOf(items)}[]`;
  if (format === "date-time") return "Time";
  if (pattern?.includes("(\\.\\d")) return "Decimal";
  return [type ?? "any"].flat().join(" | ").replace("integer", "number");
}

const SMALL_WORDS = new Set([
  "a",
  "an",
  "the",
  "its",
  "it",
  "of",
  "is",
  "was",
  "to",
  "in",
  "when",
  "made",
  "last",
  "changed",
  "who",
  "and",
  "id",
]);

/** The first sentence of a description; nothing if it repeats the name. */
function meaningOf(field, { description = "" }) {
  const text = description.split(/\.(?: |$)/)[0];
  const said = text.toLowerCase().match(/[a-z]+/g) ?? [];
  return said.every((word) => SMALL_WORDS.has(word) || field.includes(word.replace(/s$/, ""))) ? "" : text;
}
