import type { Happening } from "../../schema/happening.js";
import { pause } from "../../time/timers.js";
import { paint } from "../paint.js";
import { columns, isBehind, say } from "../terminal.js";
import { happeningLine } from "./lines.js";

/** Lines are printed so often, so that serving does not wait for a terminal. */
const EVERY_MS = 100;
/** More in that time than anybody could read are counted. */
const MOST_AT_ONCE = 20;

/** What happens, as it happens, on a terminal. */
export class Live {
  #waiting: (() => Happening)[] = [];
  #leftOut = 0;
  #isPlanned = false;
  #day: string | undefined;

  /** To be handed what to tell of; a happening that is not shown is not even looked at. */
  readonly note = (tell: () => Happening): void => {
    if (this.#waiting.length < MOST_AT_ONCE) this.#waiting.push(tell);
    else this.#leftOut++;
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    void pause(EVERY_MS).then(() => this.flush());
  };

  /** Prints a text after all that has come before it. */
  print(text: string): void {
    this.flush();
    say(text);
  }

  /** Prints what has come; a terminal that is behind gets no more until it has caught up. */
  flush(): void {
    this.#isPlanned = false;
    const waiting = this.#waiting.splice(0);
    if (isBehind()) {
      this.#leftOut += waiting.length;
      return;
    }
    const lines = waiting.flatMap((tell) => this.#linesOf(tell()));
    if (this.#leftOut > 0)
      lines.push(
        paint("dim", `            … and ${this.#leftOut.toLocaleString("en")} more, too many to show`),
      );
    this.#leftOut = 0;
    if (lines.length > 0) say(`${lines.join("\n")}\n`);
  }

  /** A line says the time only; when the day is another one, that is said before it. */
  #linesOf(happening: Happening): string[] {
    const day = happening.at.slice(0, 10);
    const isNew = this.#day !== undefined && this.#day !== day;
    this.#day = day;
    return [...(isNew ? [paint("dim", `  ${day}`)] : []), happeningLine(happening, columns())];
  }
}
