/*
 * Runs a pattern on all its paths at once: a character costs at most one step for each instruction, whatever the
 * pattern. JavaScript's own engine backtracks, which may hold the process for hours.
 */

const CLASS = 0;
const SPLIT = 1;
const ASSERT = 2;
const MATCH = 3;

export type Assertion = "^" | "$" | "\\b" | "\\B";

/** One code point: a literal, a class such as `[a-z]`, an escape such as `\d`, or a dot. */
interface PatternClass {
  readonly regExp: RegExp;
  /** By code point: 0 if not tried yet, 1 if it belongs to the class, 2 if not. */
  readonly known: Uint8Array<ArrayBuffer>;
  /** The last code point tried that `known` does not cover. */
  latest: number;
  isLatestIn: boolean;
}

const KNOWN_CODE_POINTS = 256;
const BELONGS = 1;
const DIFFERS = 2;

/** Instructions in parallel lists; `next` and `other` are indexes of instructions. */
export class PatternProgram {
  readonly #kinds: number[] = [];
  readonly #next: number[] = [];
  readonly #other: number[] = [];
  readonly #assertions: (Assertion | undefined)[] = [];
  readonly #classes: PatternClass[] = [];
  readonly #classIds = new Map<string, number>();

  get size(): number {
    return this.#kinds.length;
  }

  #add(kind: number, next: number, other = 0, assertion?: Assertion): number {
    this.#kinds.push(kind);
    this.#next.push(next);
    this.#other.push(other);
    this.#assertions.push(assertion);
    return this.size - 1;
  }

  addMatch(): number {
    return this.#add(MATCH, 0);
  }

  /** @param source one code point's part of the pattern */
  addClass(source: string, next: number): number {
    let id = this.#classIds.get(source);
    if (id === undefined) {
      id = this.#classes.length;
      this.#classIds.set(source, id);
      this.#classes.push({
        regExp: new RegExp(`^${source}$`, "u"),
        known: new Uint8Array(KNOWN_CODE_POINTS),
        latest: NO_CHARACTER,
        isLatestIn: false,
      });
    }
    return this.#add(CLASS, next, id);
  }

  addAssertion(assertion: Assertion, next: number): number {
    return this.#add(ASSERT, next, 0, assertion);
  }

  addSplit(next: number, other: number): number {
    return this.#add(SPLIT, next, other);
  }

  /** Sets the second way of a split, for loops. */
  closeLoop(split: number, body: number): void {
    this.#other[split] = body;
  }

  /** Returns true if the pattern matches somewhere in the text. */
  test(start: number, text: string): boolean {
    const { size } = this;
    const kinds = Uint8Array.from(this.#kinds);
    const next = Int32Array.from(this.#next);
    const other = Int32Array.from(this.#other);
    /** By instruction: the last position at which it was reached. */
    const marks = new Int32Array(size).fill(-1);
    const stack = new Int32Array(2 * size + 1);
    let reached = new Int32Array(size);
    let count = 0;
    /** Adds the classes that are reached without a character. Returns true at the end of the pattern. */
    const reach = (from: number, at: number, before: number, after: number): boolean => {
      let depth = 0;
      stack[depth++] = from;
      while (depth > 0) {
        const instruction = stack[--depth]!;
        if (marks[instruction] === at) continue;
        marks[instruction] = at;
        const kind = kinds[instruction];
        if (kind === CLASS) reached[count++] = instruction;
        else if (kind === MATCH) return true;
        else if (kind === SPLIT) {
          stack[depth++] = other[instruction]!;
          stack[depth++] = next[instruction]!;
        } else if (holds(this.#assertions[instruction]!, before, after)) stack[depth++] = next[instruction]!;
      }
      return false;
    };
    let tried = new Int32Array(size);
    let codePoint = codePointAt(text, 0);
    if (reach(start, 0, NO_CHARACTER, codePoint)) return true;
    for (let at = 0; codePoint !== NO_CHARACTER; ) {
      at += codePoint > 0xffff ? 2 : 1;
      const after = codePointAt(text, at);
      [tried, reached] = [reached, tried];
      const triedCount = count;
      count = 0;
      for (let index = 0; index < triedCount; index++) {
        const instruction = tried[index]!;
        if (!this.#belongs(codePoint, other[instruction]!)) continue;
        if (reach(next[instruction]!, at, codePoint, after)) return true;
      }
      // The match may begin at each position.
      if (reach(start, at, codePoint, after)) return true;
      codePoint = after;
    }
    return false;
  }

  #belongs(codePoint: number, id: number): boolean {
    const tried = this.#classes[id]!;
    const { regExp, known } = tried;
    if (codePoint < KNOWN_CODE_POINTS) {
      if (known[codePoint] === 0)
        known[codePoint] = regExp.test(String.fromCodePoint(codePoint)) ? BELONGS : DIFFERS;
      return known[codePoint] === BELONGS;
    }
    if (tried.latest !== codePoint) {
      tried.latest = codePoint;
      tried.isLatestIn = regExp.test(String.fromCodePoint(codePoint));
    }
    return tried.isLatestIn;
  }
}

/** Stands for the character before the text, and for the one after it. */
const NO_CHARACTER = -1;

function codePointAt(text: string, at: number): number {
  return text.codePointAt(at) ?? NO_CHARACTER;
}

function holds(assertion: Assertion, before: number, after: number): boolean {
  if (assertion === "^") return before === NO_CHARACTER;
  if (assertion === "$") return after === NO_CHARACTER;
  return (isWord(before) !== isWord(after)) === (assertion === "\\b");
}

function isWord(codePoint: number): boolean {
  return (
    (codePoint >= 97 && codePoint <= 122) ||
    (codePoint >= 65 && codePoint <= 90) ||
    (codePoint >= 48 && codePoint <= 57) ||
    codePoint === 95
  );
}
