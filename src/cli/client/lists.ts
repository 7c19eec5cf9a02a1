import { CONTROL_CALLS, type ControlOperationId } from "../../core/client/operations.js";
import { LIST_COLUMNS, type ListName } from "../../core/reports/list-columns.js";
import { webhookTrouble } from "../../core/reports/trouble.js";
import { formatCount } from "../../core/schema/text-format.js";
import { type ClientAction, type ClientCommand, type CommandInput, runs } from "./client-command.js";
import type { JsonBody } from "./connection.js";
import { tableFormatter } from "./output.js";

/** Operations that return a list of records that has columns. */
export type ListId = {
  [Id in ControlOperationId]: (typeof CONTROL_CALLS)[Id] extends `GET /_sandbox/${ListName}` ? Id : never;
}[ControlOperationId];

const nameOf = (id: ListId) => CONTROL_CALLS[id].slice("GET /_sandbox/".length) as ListName;

const LIMIT = ["--limit <number>", "how many"] as const;

/** A command that prints a list of the control API, with an option per filter. */
export function listCommand(
  id: ListId,
  says: string,
  example: string,
  { options = [], ...action }: Pick<ClientCommand, "options"> & Partial<ClientAction> = {},
): ClientCommand {
  const own = filtersOf(id).flatMap(({ option }) => (option === undefined ? [] : [option]));
  return {
    usage: nameOf(id),
    summary: says,
    example: `payments-sandbox ${example}`,
    options: [...options, ...own, LIMIT],
    defaultAction: { ...listAction(id), ...action },
  };
}

const filtersOf = (id: ListId) => LIST_COLUMNS[nameOf(id)].filters ?? [];

/** Action that prints a list. The flags filter the list. */
export function listAction(id: ListId, query: object = {}): ClientAction {
  return runs(id, {
    input: ({ flags }) => ({ ...listQuery(id, flags), ...query }),
    formatResult: tableFormatter(LIST_COLUMNS[nameOf(id)]),
  });
}

/** Maximum number of failing webhooks in the line of a row. */
const WEBHOOKS_MAX = 2;

/** Formats a list of charges or withdrawals. Adds the failing webhooks of each, and the number of all that fail. */
export function withFailingWebhooks(
  name: "charges" | "withdrawals",
): NonNullable<ClientAction["formatResult"]> {
  const idField = name === "charges" ? "charge_id" : "withdrawal_id";
  return async (answer, { connection }) => {
    const { items, total } = await connection.run("listDeliveries", { failing: 1, limit: 100 });
    // First the app's own errors, then receivers that do not respond.
    const failing = [...(items as JsonBody[])].sort(
      (a, b) => Number(a.answered === null) - Number(b.answered === null),
    );
    const troublesOf = (item: JsonBody): string[] =>
      failing
        .filter((delivery) => delivery[idField] === item[idField])
        .slice(0, WEBHOOKS_MAX)
        .flatMap((delivery) => webhookTrouble(delivery) ?? []);
    const count = formatCount(Number(total), "webhook");
    const footer = total === 0 ? [] : [`${count} failing: payments-sandbox deliveries --failing`];
    return tableFormatter(LIST_COLUMNS[name], { troublesOf, footer })(answer);
  };
}

/** Query parameters of a list, from the command's flags. */
export function listQuery(id: ListId, flags: CommandInput["flags"]): Readonly<Record<string, unknown>> {
  const values = filtersOf(id).map(({ name, option: [spelling] = [""] }) => [
    name,
    flags[/^--([a-z]+)/.exec(spelling)?.[1] ?? ""],
  ]);
  return { ...Object.fromEntries(values), limit: flags.limit };
}
