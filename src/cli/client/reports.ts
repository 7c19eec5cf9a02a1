import { historyRows, historyTitle } from "../../core/reports/charge-history-text.js";
import { type ListedDelivery, receiverTrouble } from "../../core/reports/delivery-text.js";
import { LIST_COLUMNS } from "../../core/reports/list-columns.js";
import type { ChargeHistory } from "../../core/reports/namespace-export.js";
import type { NextStep, Why } from "../../core/schema/control-insight-responses.js";
import { copyTexts } from "../../core/schema/delivery-copies.js";
import { hasEnded } from "../../core/schema/statuses.js";
import { UserError } from "../../core/schema/user-error.js";
import { type Coverage, RequiredCoverage } from "../coverage-list.js";
import { historyLines } from "../history-lines.js";
import { type Advice, adviceLine } from "../report/advice-text.js";
import { WEBHOOK_MARK } from "../table.js";
import { lineWidth } from "../terminal.js";
import { paint, wrap, wrapHanging } from "../text-layout.js";
import { type ClientAction, type ClientCommand, flagText, runs } from "./client-command.js";
import type { JsonBody } from "./connection.js";
import {
  commonLines,
  commonTroubles,
  listCommand,
  readDeliveries,
  readMissingEndpoint,
  stepLines,
  tableFormatter,
} from "./output.js";

function coverageText(coverage: JsonBody): string {
  return Object.entries(coverage as Coverage)
    .map(([kind, { met, not_met }]) => {
      const names = Object.entries(met).map(([name, times]) => `${name} ${times}`);
      return [
        kind.replaceAll("_", " "),
        ...wrapHanging("  met      ", names.join(", ") || "none", lineWidth()),
        ...wrapHanging("  not met  ", not_met.join(", ") || "none", lineWidth()),
        "",
      ].join("\n");
    })
    .join("");
}

function refuseMissing(coverage: Coverage, list: string): void {
  const required = new RequiredCoverage(list);
  required.refuseUnknown(coverage);
  required.addCoverage(coverage);
  const { unmet } = required;
  if (unmet.length > 0) throw new UserError(`not met: ${unmet.join(", ")}`);
}

export const HISTORY_ACTION: ClientAction = {
  call: async ({ connection, words }) => {
    const charge = await connection.resolveCharge(words.selector!);
    return { charge, ...(await connection.run("getChargeTimeline", { charge_id: charge.charge_id })) };
  },
  formatResult: async (answer, { connection }) => {
    const story = answer as unknown as ChargeHistory;
    const rows = historyRows(story, await readDeliveries(connection, story.charge));
    const { why, next_step } = story.charge as unknown as { why: Why; next_step: NextStep | null };
    const width = lineWidth();
    return `${[
      ...wrap(historyTitle(story), 0, width),
      ...historyLines(rows, width, paint),
      ...(hasEnded(story.charge.status) ? [] : wrapHanging("  ", why.sentence, width)),
      ...(next_step === null ? [] : stepLines(next_step, connection).flatMap((line) => wrap(line, 2, width))),
    ].join("\n")}\n`;
  },
};

export const REPORT_COMMANDS: readonly ClientCommand[] = [
  {
    usage: "advice",
    summary: "what the app does against the service's advice, and what to do instead",
    example: "payments-sandbox advice",
    defaultAction: runs("getAdvice", {
      formatResult: ({ items }) =>
        (items as Advice[])
          .map((one) => `${wrap(adviceLine(one), 2, lineWidth()).join("\n").trimStart()}\n`)
          .join("") || "none\n",
    }),
  },
  {
    usage: "coverage",
    summary: "operations, statuses, events, error codes and mishaps the app has met, and those it has not",
    example: "payments-sandbox coverage --require charge.completed,createWhitelabel",
    options: [["--require <list>", "exit with 1 unless all of these were met (names, separated by commas)"]],
    defaultAction: {
      call: async ({ connection, flags: { require } }) => {
        const coverage = await connection.run("getCoverage");
        if (require !== undefined) refuseMissing(coverage as Coverage, flagText(require)!);
        return coverage;
      },
      formatResult: coverageText,
    },
  },
  listCommand(
    "listDeliveries",
    "the webhooks sent, newest first, with the app's responses",
    "deliveries --failing",
    {
      formatResult: async (answer, asked) => {
        const deliveries = answer.items as (JsonBody & ListedDelivery)[];
        const missing = deliveries.length === 0 ? await readMissingEndpoint(asked.connection) : undefined;
        if (missing !== undefined) return `${missing}\n`;
        const copies = copyTexts(deliveries);
        const items = deliveries.map((one) => ({ ...one, copy: copies.get(one.delivery_id) }));
        const failing = items.filter(({ state }) => state === "failing" || state === "given_up");
        const common = commonTroubles(failing.map((one) => [receiverTrouble(one), one.delivery_id]));
        const isCommon = (one: JsonBody) =>
          failing.includes(one as never) && common.has(receiverTrouble(one));
        const { notes, values } = LIST_COLUMNS.deliveries;
        const list = {
          ...LIST_COLUMNS.deliveries,
          notes: (one: JsonBody) => notes!(one).filter((note) => note.startsWith("! ") || !isCommon(one)),
          values: {
            ...values,
            status: (one: JsonBody) => `${values!.status!(one)}${isCommon(one) ? WEBHOOK_MARK : ""}`,
          },
        };
        return tableFormatter(list, commonLines(common))({ ...answer, items }, asked);
      },
    },
  ),
  {
    usage: "history <selector>",
    summary: "a charge's requests, transitions, webhooks and the app's responses",
    example: "payments-sandbox history last",
    defaultAction: HISTORY_ACTION,
  },
];
