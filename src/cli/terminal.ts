import { oneLine, printableJson, printableLines } from "../core/schema/printable.js";
import { changedBetweenPaint, wantsColour } from "./paint.js";

/**
 * All that the command says goes through here, for a terminal obeys what is written to it: texts that came from an
 * app, a customer or a file must not move its cursor, set its title or turn a line around.
 */

/** Says a text on standard output. One that is painted has had what others wrote put on one line before. */
export function say(text: string): void {
  process.stdout.write(wantsColour() ? changedBetweenPaint(text, printableLines) : printableLines(text));
}

/** Says a value as JSON on standard output. */
export function sayJson(value: unknown, indent = 0): void {
  process.stdout.write(`${printableJson(value, indent)}\n`);
}

/** Tells something in a line, on standard error. */
export function tellLine(text: string, before = "payments-sandbox: "): void {
  process.stderr.write(`${before}${oneLine(text)}\n`);
}

/** Whether somebody sees what is said. */
export function isTerminal(): boolean {
  return process.stdout.isTTY === true;
}

/** How wide the terminal is; what goes elsewhere is laid out as for 80. */
export function columns(): number {
  return process.stdout.columns || 80;
}

/** How long a line may be: as wide as the terminal; what goes elsewhere is not broken. */
export function lineWidth(): number {
  return isTerminal() ? columns() : Number.POSITIVE_INFINITY;
}

/** So much unread output is too much to add to, in characters. */
const MOST_UNREAD = 64 * 1024;

/** Whether the terminal has not kept up with what it was sent. */
export function isBehind(): boolean {
  return process.stdout.writableLength > MOST_UNREAD;
}

/** On a terminal, one line that tells what is being done; nowhere else. */
export class Progress {
  readonly #isShown: boolean;
  #length = 0;

  constructor(isWanted: boolean) {
    this.#isShown = isWanted && isTerminal();
  }

  show(text: string): void {
    if (!this.#isShown) return;
    const room = columns() - 1;
    const plain = oneLine(text);
    const line = plain.length > room ? `${plain.slice(0, room - 1)}…` : plain;
    process.stdout.write(`\r${line.padEnd(this.#length)}`);
    this.#length = line.length;
  }

  /** Takes the line away. */
  end(): void {
    if (this.#length > 0) process.stdout.write(`\r${" ".repeat(this.#length)}\r`);
    this.#length = 0;
  }

  print(text: string): void {
    this.end();
    say(text);
  }
}
