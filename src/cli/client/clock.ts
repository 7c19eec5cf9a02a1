import { durationErrorMessage, parseDuration } from "../../core/schema/duration.js";
import { formatCount } from "../../core/schema/text-format.js";
import { instantErrorMessage, parseInstant } from "../../core/schema/time.js";
import { UserError } from "../../core/schema/user-error.js";
import { type ClientAction, type ClientCommand, runs } from "./client-command.js";
import type { JsonBody } from "./connection.js";
import { recordFormatter } from "./output.js";

const clockRecord = recordFormatter("mode", "speed", "now", "next_due");

/** Action that advances time. `input` reads the argument after the verb. */
function advance(verb: string, input: (argument: string | undefined) => object): ClientAction {
  return runs("advanceClock", {
    input: ({ words }) => input(words.argument),
    progressText: "advancing",
    formatResult: ({ from, to, fired_total }: JsonBody, { words }) => {
      const by = verb === "advance" ? ` ${words.argument}` : "";
      return `advanced${by}: ${from} → ${to}; ${formatCount(Number(fired_total), "step")} ran\n`;
    },
  });
}

function setMode(input: (argument: string | undefined) => object): ClientAction {
  return runs("setClock", { input: ({ words }) => input(words.argument), formatResult: clockRecord });
}

function requiredWord(verb: string, what: string, argument: string | undefined): string {
  if (argument === undefined) throw new UserError(`clock ${verb} needs ${what}`);
  return argument;
}

function byText(argument: string | undefined): string {
  const by = requiredWord("advance", "a duration such as 30m", argument);
  if (parseDuration(by) !== undefined) return by;
  if (by.startsWith("-")) throw new UserError(`time only moves forward, not by ${by}`);
  const fault = durationErrorMessage(by);
  throw new UserError(
    fault === undefined
      ? `clock advance takes a duration such as 30m, not ${by}`
      : `clock advance: ${by} ${fault}`,
  );
}

function toText(argument: string | undefined): string {
  const to = requiredWord("to", "an instant such as 2026-01-31T09:00:00Z", argument);
  if (parseInstant(to) !== undefined) return to;
  const fault = instantErrorMessage(to);
  throw new UserError(
    fault === undefined ? `clock to takes an ISO 8601 instant, not ${to}` : `clock to: ${to} ${fault}`,
  );
}

function speedOf(argument: string | undefined): number {
  const speed = Number(requiredWord("speed", "a number such as 60", argument));
  if (speed > 0) return speed;
  throw new UserError(`clock speed takes a number such as 60, not ${argument}`);
}

export const CLOCK_COMMAND: ClientCommand = {
  usage: "clock [verb] [argument]",
  summary: "the current time; advance DUR | to ISO | next | idle | freeze | resume | speed N",
  example: "payments-sandbox clock advance 30m",
  defaultAction: runs("getClock", { formatResult: clockRecord }),
  verbs: {
    advance: advance("advance", (argument) => ({ by: byText(argument) })),
    to: advance("to", (argument) => ({ to: toText(argument) })),
    next: advance("next", () => ({ until: "next" })),
    idle: advance("idle", () => ({ until: "idle" })),
    freeze: setMode(() => ({ mode: "manual" })),
    resume: setMode(() => ({ mode: "real" })),
    speed: setMode((argument) => ({ speed: speedOf(argument) })),
  },
};
