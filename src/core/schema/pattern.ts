import { isMatcher } from "./matcher-words.js";
import { type Assertion, PatternProgram } from "./pattern-program.js";
import { MAX_LENGTHS } from "./schema-checks.js";

/** Maximum length of a text that is matched against a pattern: no text of metadata is longer. */
export const MAX_PATTERN_INPUT = 10_240;
/** Maximum number of instructions, with repetitions written out: of a pattern, and of all that one match has. */
export const MAX_INSTRUCTIONS = 500;
/** Maximum number of instructions times characters of a match, which takes some milliseconds then. */
const MAX_WORK = 1_000_000;
/** Maximum number of instructions of a pattern that is matched against every text of metadata. */
export const MAX_RULE_INSTRUCTIONS = Math.floor(MAX_WORK / MAX_PATTERN_INPUT);

interface Pattern {
  readonly instructions: number;
  /** Returns true if the pattern matches somewhere in the text, or why the match would take too long. */
  test(text: string): boolean | string;
}

/** Returns a message for an invalid pattern and for one without linear time: any caller may send patterns. */
export function compilePattern(source: string, maxInstructions = MAX_INSTRUCTIONS): Pattern | string {
  if (source.length > MAX_LENGTHS.glob) return `must be at most ${MAX_LENGTHS.glob} characters`;
  try {
    new RegExp(source, "u");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return `is not a regular expression: ${error.message.replace(/^.*: /, "")}`;
  }
  const node = new PatternParser(source).parse();
  if (node === undefined)
    return "must not use look-ahead, look-behind or back-references, whose matching time has no limit";
  const program = new PatternProgram();
  const start = emit(program, node, program.addMatch(), maxInstructions);
  const { size } = program;
  if (size > maxInstructions)
    return `is too large: with its repetitions written out, it has more than ${maxInstructions} steps`;
  const maxLength = Math.min(MAX_PATTERN_INPUT, Math.floor(MAX_WORK / size));
  return {
    instructions: size,
    test: (text) =>
      text.length <= maxLength
        ? program.test(start, text)
        : `matches with a pattern of ${size} steps is for texts of at most ${maxLength} characters`,
  };
}

/** @param patterns which patterns, with a plural noun */
export function costlyPatternsMessage(patterns: string, instructions: number): string {
  return `${patterns} are too large together: ${instructions} steps, more than ${MAX_INSTRUCTIONS}`;
}

export function instructionsIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let instructions = 0;
  for (const part of Object.values(value)) instructions += instructionsIn(part);
  const pattern = isMatcher(value) && typeof value.matches === "string" && compilePattern(value.matches);
  return typeof pattern === "object" ? instructions + pattern.instructions : instructions;
}

type Node =
  | { readonly kind: "class"; readonly source: string }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  | { readonly kind: "sequence" | "choice"; readonly parts: readonly Node[] }
  | { readonly kind: "repeat"; readonly body: Node; readonly min: number; readonly max: number };

/** A class, an escape of one code point, a quantifier; look-around, back-references and modifiers. */
const CLASS = /\[(?:\\.|[^\]\\])*\]/suy;
const ESCAPE = /\\(?:u\{\w+\}|u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|u\w{4}|x\w\w|c\w|[pP]\{[^}]+\}|.)/suy;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/uy;
const GROUP = /\((?:\?:|\?<(?![=!])[^>]+>|(?!\?))/uy;
const CODE_POINT = /./suy;

/** Parses a valid pattern; what is captured makes no difference to a match, nor does laziness. */
class PatternParser {
  readonly #source: string;
  #at = 0;
  #canExpress = true;

  constructor(source: string) {
    this.#source = source;
  }

  /** Returns undefined for what a program cannot express. */
  parse(): Node | undefined {
    const node = this.#choice();
    return this.#canExpress ? node : undefined;
  }

  #take(part: RegExp): RegExpExecArray | undefined {
    part.lastIndex = this.#at;
    const found = part.exec(this.#source) ?? undefined;
    if (found !== undefined) this.#at = part.lastIndex;
    return found;
  }

  #choice(): Node {
    const parts = [this.#sequence()];
    while (this.#source[this.#at] === "|") {
      this.#at++;
      parts.push(this.#sequence());
    }
    return parts.length === 1 ? parts[0]! : { kind: "choice", parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#canExpress && this.#at < this.#source.length && !"|)".includes(this.#source[this.#at]!))
      parts.push(this.#quantified(this.#atom()));
    return { kind: "sequence", parts };
  }

  #atom(): Node {
    const { [this.#at]: first } = this.#source;
    if (first === "(") return this.#group();
    if (first === "^" || first === "$") {
      this.#at++;
      return { kind: "assertion", assertion: first };
    }
    const [source] = this.#take(first === "[" ? CLASS : first === "\\" ? ESCAPE : CODE_POINT)!;
    if (source === "\\b" || source === "\\B") return { kind: "assertion", assertion: source };
    if (/^\\[1-9k]/.test(source)) this.#canExpress = false;
    return { kind: "class", source };
  }

  #group(): Node {
    if (this.#take(GROUP) === undefined) this.#canExpress = false;
    const body = this.#choice();
    this.#at++;
    return body;
  }

  #quantified(body: Node): Node {
    const found = this.#take(QUANTIFIER);
    if (found === undefined) return body;
    const [text, count, comma, most] = found;
    if (count === undefined)
      return { kind: "repeat", body, min: text[0] === "+" ? 1 : 0, max: text[0] === "?" ? 1 : Infinity };
    const min = Number(count);
    return { kind: "repeat", body, min, max: comma === undefined ? min : Number(most || Infinity) };
  }
}

/** Adds the instructions of a node in front of `next`, and returns the first. Ends early above the maximum size. */
function emit(program: PatternProgram, node: Node, next: number, maxSize: number): number {
  switch (node.kind) {
    case "class":
      return program.addClass(node.source, next);
    case "assertion":
      return program.addAssertion(node.assertion, next);
    case "sequence":
      return node.parts.reduceRight((after, part) => emit(program, part, after, maxSize), next);
    case "choice":
      return node.parts
        .map((part) => emit(program, part, next, maxSize))
        .reduceRight((other, part) => program.addSplit(part, other));
    case "repeat":
      return emitRepeat(program, node, next, maxSize);
  }
}

function emitRepeat(
  program: PatternProgram,
  { body, min, max }: Node & { readonly kind: "repeat" },
  next: number,
  maxSize: number,
): number {
  let first = next;
  if (max === Infinity) {
    first = program.addSplit(next, next);
    program.closeLoop(first, emit(program, body, first, maxSize));
  } else
    for (let copy = min; copy < max && program.size <= maxSize; copy++)
      first = program.addSplit(next, emit(program, body, first, maxSize));
  for (let copy = 0; copy < min && program.size <= maxSize; copy++) {
    const { size } = program;
    first = emit(program, body, first, maxSize);
    // An empty body is the same however often it is repeated.
    if (program.size === size) break;
  }
  return first;
}
