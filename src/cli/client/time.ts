import { parseDuration } from "../../schema/duration.js";
import { parseInstant } from "../../schema/time.js";
import { UserError } from "../../schema/user-error.js";
import type { Connection } from "./connection.js";

/** `clock [advance DUR | to ISO | next | idle | freeze | resume | speed N]`. */
export async function moveClock(
  connection: Connection,
  words: readonly string[],
): Promise<Record<string, unknown>> {
  const [verb, argument] = words;
  const advance = (body: object) => connection.call("POST", "/_sandbox/clock/advance", body);
  const put = (body: object) => connection.call("PUT", "/_sandbox/clock", body);
  const needs = (what: string): string => {
    if (argument === undefined) throw new UserError(`clock ${verb} needs ${what}`);
    return argument;
  };
  switch (verb) {
    case undefined:
      return connection.call("GET", "/_sandbox/clock");
    case "advance": {
      const by = needs("a duration such as 30m");
      if (parseDuration(by) === undefined)
        throw new UserError(`clock advance takes a duration such as 30m, not ${by}`);
      return advance({ by });
    }
    case "to": {
      const to = needs("an instant such as 2026-01-31T09:00:00Z");
      if (parseInstant(to) === undefined)
        throw new UserError(`clock to takes an ISO 8601 instant, not ${to}`);
      return advance({ to });
    }
    case "next":
    case "idle":
      return advance({ until: verb });
    case "freeze":
      return put({ mode: "manual" });
    case "resume":
      return put({ mode: "real" });
    // speed: that the word is known was checked before.
    default: {
      const speed = Number(needs("a number such as 60"));
      if (!(speed > 0)) throw new UserError(`clock speed takes a number such as 60, not ${argument}`);
      return put({ speed });
    }
  }
}
