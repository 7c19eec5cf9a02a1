import { toPrintableJson, toPrintableLine, toPrintableLines } from "../core/schema/text-format.js";
import { systemWallClock } from "../core/time/wall-clock.js";
import {
  changeUnpaintedParts,
  cutCells,
  isColourEnabled,
  type Paint,
  paint,
  type Style,
  wrap,
} from "./text-layout.js";

/**
 * All output of the command. Control characters are removed: texts from an app, a customer or a file must not move the
 * cursor, set the title or reverse a line.
 */

/** Prints a text on standard output. Keeps the escape codes of painted parts. */
export function printText(text: string): void {
  process.stdout.write(
    isColourEnabled() ? changeUnpaintedParts(text, toPrintableLines) : toPrintableLines(text),
  );
}

export function printJson(value: unknown, indent = 0): void {
  process.stdout.write(`${toPrintableJson(value, indent)}\n`);
}

export const paintError: Paint = (style, text) => paint(style, text, isColourEnabled(process.stderr));

export function printPaintedError(line: string): void {
  const isColoured = isColourEnabled(process.stderr);
  process.stderr.write(
    `${isColoured ? changeUnpaintedParts(line, toPrintableLine) : toPrintableLine(line)}\n`,
  );
}

export function printErrorText(text: string): void {
  process.stderr.write(`${toPrintableLines(text)}\n`);
}

/** Prints a line on standard error; on a terminal, wrapped at words. `style` paints its beginning. */
export function printErrorLine(text: string, before?: string, style?: Style): void {
  process.stderr.write(`${errorLines(text, before, style).join("\n")}\n`);
}

export function errorLines(text: string, before = "payments-sandbox: ", style?: Style): string[] {
  const [first = "", ...more] = wrap(before + toPrintableLine(text), 2, lineWidth(process.stderr));
  const start = before.trimEnd();
  const painted = style === undefined ? start : paintError(style, start);
  return [painted + first.slice(2 + start.length), ...more];
}

export function isTerminal(): boolean {
  return process.stdout.isTTY === true;
}

/** Width of the terminal; 80 for other outputs. */
export function terminalWidth(): number {
  return process.stdout.columns || 80;
}

/** Maximum length of a line: the terminal's width; unlimited for other outputs. */
export function lineWidth({ isTTY, columns }: NodeJS.WriteStream = process.stdout): number {
  return isTTY === true ? columns || 80 : Number.POSITIVE_INFINITY;
}

/** Limit of unread output, in characters. */
const UNREAD_MAX = 64 * 1024;

export function isOutputBacklogged(): boolean {
  return process.stdout.writableLength > UNREAD_MAX;
}

/** Wall time between two lines of progress in a pipe, in milliseconds. */
const PIPED_PROGRESS_MS = 15_000;

export class ProgressLine {
  readonly #isShown: boolean;
  readonly #pipedName: string | undefined;
  #printedMs = systemWallClock.nowMs();
  #length = 0;

  /** @param pipedName names the work in the lines that are printed now and then if the output is no terminal */
  constructor(isWanted: boolean, pipedName?: string) {
    this.#isShown = isWanted && isTerminal();
    this.#pipedName = isWanted && !isTerminal() ? pipedName : undefined;
  }

  show(text: string): void {
    if (this.#pipedName !== undefined && systemWallClock.nowMs() - this.#printedMs >= PIPED_PROGRESS_MS) {
      this.#printedMs = systemWallClock.nowMs();
      process.stderr.write(`${this.#pipedName}: ${toPrintableLine(text)}\n`);
    }
    if (!this.#isShown) return;
    const line = cutCells(toPrintableLine(text), terminalWidth() - 1);
    process.stdout.write(`\r${line.padEnd(this.#length)}`);
    this.#length = line.length;
  }

  end(): void {
    if (this.#length > 0) process.stdout.write(`\r${" ".repeat(this.#length)}\r`);
    this.#length = 0;
  }

  print(text: string): void {
    this.end();
    printText(text);
  }
}
