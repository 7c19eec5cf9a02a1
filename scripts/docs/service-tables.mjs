// Tables of docs/api.md, docs/cheat-sheet.md and docs/reconcile.md: operations, fields and statuses of the service.
import { code, table } from "./markdown.mjs";

/** The service's document with the shipped fixtures and settings. */
export async function shippedDocument(source) {
  const { fixtures } = await source.loadShippedContent();
  const facts = { catalogue: new source.Catalogue(fixtures), settings: source.DEFAULT_SETTINGS };
  return source.fillPlaceholders(source.serviceDocument(), source.createPlaceholderLookup(facts, "0.0.0"));
}

/** Marker → table. */
export async function apiTables(source) {
  const { fixtures } = await source.loadShippedContent();
  const { paths } = await shippedDocument(source);
  return {
    operations: table(
      ["call", "operation", "does"],
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { operationId, description = "" }]) => [
          code(`${method.toUpperCase()} ${path}`),
          code(operationId),
          description,
        ]),
      ),
    ),
    methods: table(
      ["method", "currencies", "fees"],
      fixtures.methods.map(({ id, currencies, fees }) => [
        code(id),
        currencies.join(", "),
        `${fees.platform_percent} + ${fees.gateway_percent} %`,
      ]),
    ),
    "charge statuses": chargeStatuses(source),
    "withdrawal statuses": withdrawalStatuses(source),
  };
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

/** What may become of a charge, for the cheat sheet. */
export function transitionTable({ CHARGE_STATUS_RULES }) {
  return table(
    ["status", "may become"],
    Object.entries(CHARGE_STATUS_RULES.statuses).map(([status, rule]) => [code(status), nextCell(rule)]),
  );
}

/** Words that `reconcile` understands as a status. */
export function statusWordTable({ MARKINGS, statusWordsOf }) {
  return table(
    ["means", "words"],
    MARKINGS.map((name) => [code(name), statusWordsOf(name).join(", ")]),
  );
}

const FIELDS = /(<!-- fields: ([\w +-]+) -->\n)[\s\S]*?(<!-- \/fields -->)/g;

/**
 * Fills in the tables of fields of a page, each between comments with an expression such as `Charge - PayinSummary` or
 * `Fees + FeeBreakdown`. Every schema with fields must be in one.
 */
export function withFields(text, { components: { schemas } }) {
  const added = [];
  const filled = text.replace(FIELDS, (_all, begin, expression, end) => {
    const [names, without = []] = expression.split(" - ").map((part) => part.split(" + "));
    added.push(...names);
    return `${begin}${fieldTable(names, without, schemas)}\n${end}`;
  });
  const missing = Object.keys(schemas).filter((name) => schemas[name].properties && !added.includes(name));
  if (missing.length > 0) throw new Error(`docs/api.md: no table has the fields of ${missing.join(", ")}`);
  return filled;
}

/** A field that only some variants of an object have is preceded by their types. */
function fieldTable(added, removed, schemas) {
  const isRequest = added.some((name) => /Request|Pricing/.test(name));
  const parts = added.map((name) => schemas[name]);
  const left = new Set(removed.flatMap((name) => Object.keys(schemas[name].properties)));
  const names = new Set(parts.flatMap(({ properties = {} }) => Object.keys(properties)));
  const rows = [...names].filter((name) => !left.has(name)).map((name) => fieldRow(name, parts, isRequest));
  return table(["field", "type", ...(isRequest ? ["required"] : []), "means"], rows);
}

function fieldRow(name, parts, isRequest) {
  const owners = parts.filter(({ properties }) => properties?.[name] !== undefined);
  const [{ properties, required }] = owners;
  // The page says once that null in an optional field of a request is as absent.
  const types = owners.map((owner) =>
    typeOf(owner.properties[name]).replace(isRequest ? / or null$/ : "", ""),
  );
  const variants = owners.flatMap((owner) => owner.properties.type?.const ?? []).map(String);
  const prefix =
    variants.length > 0 && owners.length < parts.length ? `${variants.map(code).join(", ")}: ` : "";
  return [
    code(name),
    [...new Set(types)].join(", "),
    ...(isRequest ? [required?.includes(name) ? "yes" : ""] : []),
    prefix + meaningOf(properties[name]),
  ];
}

function typeOf({ type, format, pattern, const: constant, enum: values, $ref, items, anyOf }) {
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" or ");
  if ($ref !== undefined) return code($ref.split("/").at(-1));
  if (values !== undefined) return values.map(code).join(", ");
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (typeof constant === "string") return code(constant);
  if (format === "date-time") return "time";
  if (pattern?.includes("(\\.\\d")) return "decimal string";
  return [type ?? "any"].flat().join(" or ");
}

/** The description without its list of what this server knows, which the page has once. */
const meaningOf = ({ description = "" }) =>
  description.replace(/ (?:Upper case; this|This) server knows .*$/, "");
