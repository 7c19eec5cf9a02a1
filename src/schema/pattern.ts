import { LONGEST } from "./lengths.js";

/*
 * Patterns as `matches` takes them: JavaScript's regular expressions of Unicode mode, without look-around and back
 * references. They come from a file or a caller, so they are not run by the engine of the machine, which tries one way
 * after the other: all ways are followed at once, and a text costs no more than its length times the pattern's.
 */

/** A pattern with its repeats written out has no more parts than this. */
const MOST_PARTS = 500;
/** Longer texts are not looked at. */
export const LONGEST_MATCHED = 10_000;

/** A pattern that can be held against texts. */
export interface Pattern {
  /** Whether it is anywhere in the text. */
  isIn(text: string): boolean;
}

type CharTest = (char: string) => boolean;
/** Whether a place is meant: the character before and the one after it, undefined at the ends. */
type PlaceTest = (before: string | undefined, after: string | undefined) => boolean;

type Node =
  | { readonly kind: "char"; readonly test: CharTest }
  | { readonly kind: "place"; readonly test: PlaceTest }
  | { readonly kind: "all"; readonly parts: readonly Node[] }
  | { readonly kind: "any"; readonly parts: readonly Node[] }
  | { readonly kind: "repeat"; readonly part: Node; readonly from: number; readonly to: number };

type Instruction =
  | { readonly do: "char"; readonly test: CharTest }
  | { readonly do: "place"; readonly test: PlaceTest }
  | { readonly do: "go"; to: number[] }
  | { readonly do: "found" };

/** What is wrong with a pattern. */
class PatternFault extends Error {}

const LOOK_AROUND = "look-around and back references are not taken";

const known = new Map<string, Pattern | string>();
const KNOWN_LIMIT = 200;

/** The pattern, or what is wrong with it. */
export function patternOf(source: string): Pattern | string {
  let made = known.get(source);
  if (made === undefined) {
    if (known.size >= KNOWN_LIMIT) known.clear();
    known.set(source, (made = make(source)));
  }
  return made;
}

function make(source: string): Pattern | string {
  if (source.length > LONGEST.glob) return `must be at most ${LONGEST.glob} characters`;
  try {
    new RegExp(source, "u");
    const program: Instruction[] = [];
    write(program, new Reader(source).read());
    program.push({ do: "found" });
    return { isIn: (text) => isIn(program, text) };
  } catch (error) {
    if (error instanceof PatternFault) return error.message;
    if (!(error instanceof SyntaxError)) throw error;
    return `is no regular expression: ${error.message.replace(/^.*: /, "")}`;
  }
}

const ESCAPE = /\\(?:u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|x..|c.|[pP]\{[^}]*\}|[\s\S])/uy;
const COUNT = /\{(\d+)(?:(,)(\d*))?\}/y;
const LOOPS: Readonly<Record<string, readonly [number, number]>> = {
  "*": [0, Number.POSITIVE_INFINITY],
  "+": [1, Number.POSITIVE_INFINITY],
  "?": [0, 1],
};

/** Reads a pattern of which the machine's own engine has said that it is one. */
class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): Node {
    const choices: Node[] = [];
    let parts: Node[] = [];
    for (let next = this.#source[this.#at]; next !== undefined && next !== ")"; next = this.#source[this.#at])
      if (next === "|") {
        this.#at++;
        choices.push({ kind: "all", parts });
        parts = [];
      } else parts.push(this.#repeated(this.#part(next)));
    const last: Node = { kind: "all", parts };
    return choices.length === 0 ? last : { kind: "any", parts: [...choices, last] };
  }

  #part(next: string): Node {
    switch (next) {
      case "(":
        return this.#group();
      case "[":
        return charIn(this.#take(this.#classEnd()));
      case "\\":
        return this.#escape();
      case "^":
        this.#at++;
        return { kind: "place", test: (before) => before === undefined };
      case "$":
        this.#at++;
        return { kind: "place", test: (_before, after) => after === undefined };
      case ".":
        return charIn(this.#take(this.#at + 1));
      default: {
        const wanted = String.fromCodePoint(this.#source.codePointAt(this.#at)!);
        this.#at += wanted.length;
        return { kind: "char", test: (char) => char === wanted };
      }
    }
  }

  #group(): Node {
    const opening = /\((?:\?(?::|<[^=!>][^>]*>))?/y;
    opening.lastIndex = this.#at;
    this.#at += opening.exec(this.#source)![0].length;
    if (this.#source[this.#at] === "?") throw new PatternFault(LOOK_AROUND);
    const inner = this.read();
    this.#at++;
    return inner;
  }

  #escape(): Node {
    ESCAPE.lastIndex = this.#at;
    const text = ESCAPE.exec(this.#source)![0];
    this.#at += text.length;
    if (/^\\[1-9k]/.test(text)) throw new PatternFault(LOOK_AROUND);
    if (text !== "\\b" && text !== "\\B") return charIn(text);
    const isWord = (char: string | undefined): boolean => char !== undefined && /^\w$/.test(char);
    return {
      kind: "place",
      test: (before, after) => (isWord(before) !== isWord(after)) === (text === "\\b"),
    };
  }

  #repeated(part: Node): Node {
    const sign = this.#source[this.#at] ?? "";
    COUNT.lastIndex = this.#at;
    const count = sign === "{" ? COUNT.exec(this.#source) : null;
    let loop = LOOPS[sign];
    if (count !== null) {
      const from = Number(count[1]);
      const open = count[3] === "" ? Number.POSITIVE_INFINITY : Number(count[3]);
      loop = [from, count[2] === undefined ? from : open];
    }
    if (loop === undefined) return part;
    this.#at += count === null ? 1 : count[0].length;
    // As few as possible or as many: what is asked is only whether it fits.
    if (this.#source[this.#at] === "?") this.#at++;
    return { kind: "repeat", part, from: loop[0], to: loop[1] };
  }

  #classEnd(): number {
    let end = this.#at + 1;
    while (this.#source[end] !== "]") end += this.#source[end] === "\\" ? 2 : 1;
    return end + 1;
  }

  #take(end: number): string {
    const text = this.#source.slice(this.#at, end);
    this.#at = end;
    return text;
  }
}

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));

/** A class or an escape, asked of one character at a time: the machine's own engine can do that in one step. */
function charIn(source: string): Node {
  const one = new RegExp(`^${source}$`, "u");
  const ascii = ASCII.map((char) => one.test(char));
  return { kind: "char", test: (char) => ascii[char.codePointAt(0)!] ?? one.test(char) };
}

/** Writes a part out as instructions; `go` leads to each of several at once. */
function write(program: Instruction[], node: Node): void {
  const room = () => {
    if (program.length >= MOST_PARTS)
      throw new PatternFault(`must come to at most ${MOST_PARTS} parts with its repeats written out`);
  };
  const go = (...to: number[]): { do: "go"; to: number[] } => {
    const instruction = { do: "go" as const, to };
    program.push(instruction);
    return instruction;
  };
  room();
  switch (node.kind) {
    case "char":
      program.push({ do: "char", test: node.test });
      return;
    case "place":
      program.push({ do: "place", test: node.test });
      return;
    case "all":
      for (const part of node.parts) write(program, part);
      return;
    case "any": {
      const fork = go();
      const ends = node.parts.map((part) => {
        fork.to.push(program.length);
        write(program, part);
        return go();
      });
      for (const end of ends) end.to.push(program.length);
      return;
    }
    case "repeat": {
      const begun = program.length;
      for (let n = 0; n < node.from; n++) {
        write(program, node.part);
        // What comes to nothing may be repeated for ever, and is nothing still.
        if (program.length === begun) return;
      }
      if (node.to === Number.POSITIVE_INFINITY) {
        const loop = go(program.length + 1);
        const back = program.length - 1;
        write(program, node.part);
        go(back);
        loop.to.push(program.length);
        return;
      }
      const ways: { to: number[] }[] = [];
      for (let n = node.from; n < node.to; n++) {
        room();
        ways.push(go(program.length + 1));
        write(program, node.part);
      }
      for (const way of ways) way.to.push(program.length);
    }
  }
}

function isIn(program: readonly Instruction[], text: string): boolean {
  const seen = new Int32Array(program.length).fill(-1);
  let current: number[] = [];
  let before: string | undefined;
  let step = 0;
  const chars = text[Symbol.iterator]();
  for (let after = chars.next().value; ; after = chars.next().value) {
    // It may begin anywhere; what has begun before goes on.
    const waiting = wayOn(
      program,
      [0, ...current],
      (at) => {
        const isNew = seen[at] !== step;
        seen[at] = step;
        return isNew;
      },
      before,
      after,
    );
    if (waiting === "found") return true;
    if (after === undefined) return false;
    current = waiting.flatMap(({ at, test }) => (test(after) ? [at + 1] : []));
    before = after;
    step++;
  }
}

interface Waiting {
  readonly at: number;
  readonly test: CharTest;
}

/** The instructions that wait for a character, of all that can be come to from some without one. */
function wayOn(
  program: readonly Instruction[],
  open: number[],
  isNew: (at: number) => boolean,
  before: string | undefined,
  after: string | undefined,
): Waiting[] | "found" {
  const waiting: Waiting[] = [];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (!isNew(at)) continue;
    const instruction = program[at]!;
    switch (instruction.do) {
      case "found":
        return "found";
      case "char":
        waiting.push({ at, test: instruction.test });
        break;
      case "go":
        open.push(...instruction.to);
        break;
      case "place":
        if (instruction.test(before, after)) open.push(at + 1);
    }
  }
  return waiting;
}
