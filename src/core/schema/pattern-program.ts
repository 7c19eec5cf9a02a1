/*
 * Runs a pattern on all its paths at once: a character costs at most one step for each instruction, whatever the
 * pattern. JavaScript's own engine backtracks, which may hold the process for hours.
 */

const CLASS = 0;
const SPLIT = 1;
const ASSERT = 2;
const MATCH = 3;

/** Stands for the number of classes reached once the pattern has matched. */
const MATCHED = -1;

export type Assertion = "^" | "$" | "\\b" | "\\B";

/** Instructions in parallel lists; `next` and `other` are indexes of instructions. */
export class PatternProgram {
  readonly #kinds: number[] = [];
  readonly #next: number[] = [];
  readonly #other: number[] = [];
  readonly #assertions: (Assertion | undefined)[] = [];
  /** One code point each: a literal, a class such as `[a-z]`, an escape such as `\d`, or a dot. */
  readonly #classes: RegExp[] = [];
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
      this.#classes.push(new RegExp(`^${source}$`, "u"));
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
    /** Appends the classes that are reached without a character; returns their new number, or MATCHED. */
    const reach = (
      from: number,
      at: number,
      before: number,
      after: number,
      reached: Int32Array,
      found: number,
    ): number => {
      let count = found;
      let depth = 0;
      stack[depth++] = from;
      while (depth > 0) {
        const instruction = stack[--depth]!;
        if (marks[instruction] === at) continue;
        marks[instruction] = at;
        const kind = kinds[instruction];
        if (kind === CLASS) reached[count++] = instruction;
        else if (kind === MATCH) return MATCHED;
        else if (kind === SPLIT) {
          stack[depth++] = other[instruction]!;
          stack[depth++] = next[instruction]!;
        } else if (holds(this.#assertions[instruction]!, before, after)) stack[depth++] = next[instruction]!;
      }
      return count;
    };
    /** By code point: for each instruction, 1 if it is a class that has the code point. */
    const rows = new Map<number, Uint8Array>();
    let tried = new Int32Array(size);
    let reached = new Int32Array(size);
    let codePoint = codePointAt(text, 0);
    let count = reach(start, 0, NO_CHARACTER, codePoint, reached, 0);
    for (let at = 0; count !== MATCHED && codePoint !== NO_CHARACTER; ) {
      at += codePoint > 0xffff ? 2 : 1;
      const after = codePointAt(text, at);
      let row = rows.get(codePoint);
      if (row === undefined) rows.set(codePoint, (row = this.#rowOf(codePoint)));
      [tried, reached] = [reached, tried];
      const triedCount = count;
      count = 0;
      for (let index = 0; index < triedCount; index++) {
        const instruction = tried[index]!;
        if (row[instruction] === 0) continue;
        const to = next[instruction]!;
        // Most classes follow each other directly.
        if (kinds[to] === CLASS) {
          if (marks[to] === at) continue;
          marks[to] = at;
          reached[count++] = to;
        } else {
          count = reach(to, at, codePoint, after, reached, count);
          if (count === MATCHED) return true;
        }
      }
      // The match may begin at each position.
      count = reach(start, at, codePoint, after, reached, count);
      codePoint = after;
    }
    return count === MATCHED;
  }

  #rowOf(codePoint: number): Uint8Array {
    const character = String.fromCodePoint(codePoint);
    const belongs = this.#classes.map((regExp) => regExp.test(character));
    return Uint8Array.from(this.#kinds, (kind, instruction) =>
      kind === CLASS && belongs[this.#other[instruction]!] ? 1 : 0,
    );
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
