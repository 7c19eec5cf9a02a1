import type * as z from "zod/mini";
import {
  DEFAULT_EXPLORE_DEPTH,
  DEFAULT_FILE_LIVES,
  exploreDepthSchema,
  exploreLanesSchema,
  exploreLivesSchema,
  failOnSchema,
  MAX_EXHAUSTIVE_DEPTH,
} from "../core/schema/explore-limits.js";
import { formatCount, toPrintableLine } from "../core/schema/text-format.js";
import { durationSchema, durationToMs } from "../core/schema/time.js";
import { UserError } from "../core/schema/user-error.js";
import { deviationSetText } from "../tools/explore/deviation-set.js";
import { BUDGET_OVER, type ExploreReport } from "../tools/explore/exploration.js";
import type { ExploreFileOptions } from "../tools/explore/file.js";
import { chosenSets } from "../tools/explore/incident-log/shown-deviations.js";
import { chosenLives } from "../tools/explore/lives/chosen-lives.js";
import { shellCommand } from "./help-text.js";
import { reportOfExploration } from "./report/explore.js";
import { publishReports } from "./report/publish.js";
import { reportText } from "./report/report.js";
import { parseAppUrl, parseVariables } from "./scenario-flags.js";
import { lineWidth, ProgressLine, printErrorLine, printJson, printText } from "./terminal.js";
import { wrap } from "./text-layout.js";

/** Flags of `explore` and `exec --explore`. */
export interface ExplorationFlags {
  readonly app?: string;
  readonly depth?: string;
  readonly lanes?: string;
  readonly budget?: string;
  readonly only?: string;
  readonly from?: string;
  /** True for the default number. */
  readonly lives?: string | true;
  readonly failOn?: string;
  readonly profile?: boolean;
  readonly kill?: boolean;
  readonly var?: readonly string[];
  readonly save?: string;
  readonly junit?: string;
  readonly json?: boolean;
  readonly strict?: boolean;
}

export function parseExplorationFlags({
  app,
  depth,
  lanes,
  budget,
  only,
  from,
  lives,
  save,
  failOn,
  profile,
  ...flags
}: ExplorationFlags) {
  if (depth === "max" && budget === undefined)
    throw new UserError("--depth max needs a limit: add --budget, such as --budget 5m");
  if (app === undefined) throw new UserError("explore needs the app: give its URL with --app");
  return {
    app: parseAppUrl(app),
    vars: parseVariables(flags.var),
    environment: process.env,
    depth:
      depth === undefined
        ? DEFAULT_EXPLORE_DEPTH
        : parseFlag("--depth", exploreDepthSchema, depth === "max" ? depth : Number(depth), depth),
    lanes: lanes === undefined ? undefined : parseFlag("--lanes", exploreLanesSchema, Number(lanes), lanes),
    budgetMs:
      budget === undefined ? undefined : durationToMs(parseFlag("--budget", durationSchema, budget, budget)),
    ...chosenSets({ only, from }, "--"),
    lives: chosenLives({ lives: parseLives(lives), only, from }, "--"),
    save,
    profile,
    failOn:
      failOn === undefined ? undefined : parseFlag("--fail-on", failOnSchema, failOn.split(","), failOn),
    onWarning: (warning: string) => printErrorLine(warning),
  };
}

/**
 * Prints progress and report. Returns the exit code: 0 if it passed, 1 with findings, 2 if it proves nothing or the
 * budget ended before depth 1 was complete; with `strict` also 1 if the depth is not complete.
 */
export async function reportExploration(
  flow: string,
  { json, junit, strict, depth, only, from, shown }: ExplorationFlags & Pick<ExploreFileOptions, "shown">,
  explore: (onRun: NonNullable<ExploreFileOptions["onRun"]>) => Promise<ExploreReport>,
): Promise<number> {
  if (shown !== undefined && !json) printText(shownText(String(from), shown));
  const progress = new ProgressLine(json !== true, `explore ${flow}`);
  const report = await explore((runs, findings) =>
    progress.show(`${formatCount(runs, "run")}, ${formatCount(findings, "finding")}`),
  ).finally(() => progress.end());
  if (json) printJson(report);
  else
    printText(reportText(reportOfExploration(flow, report)) + (only === undefined ? replayText(report) : ""));
  const isPartial =
    only === undefined &&
    from === undefined &&
    report.passed &&
    report.complete_depth < exhaustiveDepth(depth ?? DEFAULT_EXPLORE_DEPTH);
  if (strict && isPartial) printErrorLine(`--strict: depth ${report.complete_depth + 1} is not complete`);
  const isCut = report.complete_depth === 0 && report.not_tried.some(({ reason }) => reason === BUDGET_OVER);
  const isFound = report.findings.length > 0 && !isCut;
  const code = report.passed ? Number(strict === true && isPartial) : isFound ? 1 : 2;
  return publishReports(junit, [reportOfExploration(flow, report)], code);
}

function exhaustiveDepth(depth: string | number): number {
  return depth === "max" ? MAX_EXHAUSTIVE_DEPTH : Number(depth);
}

function shownText(from: string, shown: NonNullable<ExploreReport["shown"]>): string {
  const lines = shown.map(({ reason, ...one }) => `${deviationSetText([one])}: ${reason}`);
  const wrapped = lines.flatMap((line) => wrap(toPrintableLine(line), 2, lineWidth()));
  return `${[`${from} shows`, ...wrapped].join("\n")}\n\n`;
}

/** The command line that runs only the set or the life of the first finding without a file. */
function replayText({ findings }: ExploreReport): string {
  const finding = findings.find(
    ({ deviations, file, only }) => file === undefined && (only !== undefined || deviations.length > 0),
  );
  if (finding === undefined) return "";
  const words = process.argv.slice(2);
  const end = words.includes("--") ? words.indexOf("--") : words.length;
  const own = words
    .slice(0, end)
    .filter((word, index, all) => !isFromFlag(word) && all[index - 1] !== "--from");
  const only = ["--only", finding.only ?? deviationSetText(finding.deviations)];
  const command = shellCommand([...own, ...only, ...words.slice(end)]);
  return `${wrap(`to run it again: ${command}`, 0, lineWidth()).join("\n")}\n`;
}

function isFromFlag(word: string): boolean {
  return word === "--from" || word.startsWith("--from=");
}

function parseLives(lives: ExplorationFlags["lives"]): number | undefined {
  if (lives === undefined || lives === true) return lives && DEFAULT_FILE_LIVES;
  return parseFlag("--lives", exploreLivesSchema, Number(lives), lives);
}

function parseFlag<Value>(flag: string, schema: z.ZodMiniType<Value>, given: unknown, text: string): Value {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new UserError(`${flag} ${JSON.stringify(text)}: ${parsed.error.issues[0]?.message}`);
}
