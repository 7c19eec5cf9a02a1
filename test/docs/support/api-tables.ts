import { CHARGE_STATUS_RULES } from "../../../src/core/domain/charge-transition.js";
import { WITHDRAWAL_STATUS_RULES } from "../../../src/core/domain/withdrawal.js";
import {
  chargeEventType,
  SERVICE_EVENT_TYPES,
  withdrawalEventType,
} from "../../../src/core/schema/event-types.js";
import type { Fixtures } from "../../../src/core/schema/fixtures-file.js";
import { CHARGE_STATUS_TABLE } from "../../../src/core/schema/statuses.js";
import type { OpenApiDocument } from "../../../src/server/openapi/document.js";
import { operationsOf } from "../../support/openapi-document.js";

interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly $ref?: string;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const code = (text: string): string => `\`${text}\``;
const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `${line(head)}|${"---|".repeat(head.length)}\n${rows.map(line).join("")}`;

export function operationTable(document: OpenApiDocument): string {
  const rows = operationsOf(document).map(({ method, path, operation }) => [
    code(`${method} ${path}`),
    code(operation.operationId),
    (operation as { description?: string }).description ?? "",
  ]);
  return table(["call", "operation", "does"], rows);
}

export function methodTable({ methods }: Fixtures): string {
  const rows = methods.map(({ id, currencies, fees }) => [
    code(id),
    currencies.join(", "),
    `${fees.platform_percent} + ${fees.gateway_percent} %`,
  ]);
  return table(["method", "currencies", "fees"], rows);
}

const eventCell = (type: string): string => (SERVICE_EVENT_TYPES.includes(type) ? code(type) : "none");
const nextCell = (next: readonly string[]): string => next.map(code).join(", ") || "final";

export function chargeStatusTable(): string {
  const rows = Object.entries(CHARGE_STATUS_RULES.statuses).map(([status, { next }]) => [
    code(status),
    CHARGE_STATUS_TABLE[status as keyof typeof CHARGE_STATUS_TABLE].meaning,
    nextCell(next),
    eventCell(chargeEventType(status as keyof typeof CHARGE_STATUS_TABLE)),
  ]);
  return table(["status", "means", "may become", "event"], rows);
}

export function withdrawalStatusTable(): string {
  const rows = Object.entries(WITHDRAWAL_STATUS_RULES.statuses).map(([status, { next }]) => [
    code(status),
    nextCell(next),
    eventCell(withdrawalEventType(status as keyof typeof WITHDRAWAL_STATUS_RULES.statuses)),
  ]);
  return table(["status", "may become", "event"], rows);
}

/**
 * The fields of the schemas of an expression such as `Charge - PayinSummary` or `Fees + FeeBreakdown`. A field that only some
 * variants of an object have is preceded by their types.
 */
export function fieldTable(expression: string, schemas: Readonly<Record<string, Schema>>): string {
  const [added, removed = []] = expression
    .split(" - ")
    .map((names) => names.split(" + ").map((name) => schemas[name]!)) as [Schema[], Schema[]?];
  const isRequest = /Request|Pricing/.test(expression.split(" - ")[0]!);
  const names = new Set(added.flatMap(propertiesOf).map(([name]) => name));
  for (const [name] of removed.flatMap(propertiesOf)) names.delete(name);
  const rows = [...names].map((name) => {
    const owners = added.filter(({ properties }) => properties?.[name] !== undefined);
    const [first] = owners;
    // The page says once that null in an optional field of a request is as absent.
    const types = new Set(
      owners.map(({ properties }) => typeOf(properties![name]!).replace(isRequest ? / or null$/ : "", "")),
    );
    const variants = owners.flatMap(({ properties }) => properties?.type?.const ?? []).map(String);
    const prefix =
      variants.length > 0 && owners.length < added.length ? `${variants.map(code).join(", ")}: ` : "";
    return [
      code(name),
      [...types].join(", "),
      ...(isRequest ? [first!.required?.includes(name) ? "yes" : ""] : []),
      prefix + meaningOf(first!.properties![name]!),
    ];
  });
  return table(["field", "type", ...(isRequest ? ["required"] : []), "means"], rows);
}

const propertiesOf = ({ properties = {} }: Schema) => Object.entries(properties);

/** Names of schemas of an expression that have all their fields in its table. */
export function schemasIn(expression: string): string[] {
  return expression.split(" - ")[0]!.split(" + ");
}

function typeOf({
  type,
  format,
  pattern,
  const: constant,
  enum: values,
  $ref,
  items,
  anyOf,
}: Schema): string {
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" or ");
  if ($ref !== undefined) return code($ref.split("/").at(-1)!);
  if (values !== undefined) return values.map(code).join(", ");
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (typeof constant === "string") return code(constant);
  if (format === "date-time") return "time";
  if (pattern?.includes("(\\.\\d") === true) return "decimal string";
  return [type ?? "any"].flat().join(" or ");
}

/** The description without its list of what this server knows, which the page has once. */
function meaningOf({ description = "" }: Schema): string {
  return description.replace(/ (?:Upper case; this|This) server knows .*$/, "").replaceAll("|", "\\|");
}
