/** The first place where a text stops being JSON. */
interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/**
 * Finds the first syntax error of a JSON text. The messages of JSON.parse differ between engines, and most omit the
 * position. The dashboard's script contains this function as text, so it uses nothing outside itself.
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const blank = /[ \t\r\n]*/y;
  const string = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
  const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
  const closerOf: { readonly [mark: string]: string | undefined } = { "{": "}", "[": "]" };
  /** Closing marks of the lists and objects around `at`. */
  const closers: string[] = [];
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const isFound = pattern.test(text);
    // A failed test sets `lastIndex` to 0.
    at = Math.max(at, pattern.lastIndex);
    return isFound;
  };
  const takeMark = (mark: string): boolean => {
    take(blank);
    const isFound = text[at] === mark;
    at += Number(isFound);
    return isFound;
  };
  const expected = (message: string): JsonFault => {
    const lines = text.slice(0, at).split("\n");
    const found =
      at < text.length ? `found ${JSON.stringify([...text.slice(at, at + 2)][0])}` : "the text ends";
    return {
      line: lines.length,
      column: lines[lines.length - 1]!.length + 1,
      message: `expected ${message}, ${found}`,
    };
  };
  const nameFault = (): JsonFault | undefined => {
    take(blank);
    if (!take(string)) return expected("a name in double quotes");
    return takeMark(":") ? undefined : expected('":"');
  };
  let isValueRead = false;
  for (;;) {
    const closer = closers[closers.length - 1];
    if (closer !== undefined && takeMark(closer)) {
      closers.pop();
      isValueRead = true;
      continue;
    }
    if (isValueRead && closer === undefined) {
      take(blank);
      return at === text.length ? undefined : expected("nothing more");
    }
    if (isValueRead && !takeMark(",")) return expected(`"," or "${closer}"`);
    const fault = closer === "}" ? nameFault() : undefined;
    if (fault !== undefined) return fault;
    take(blank);
    const opened = closerOf[text[at]!];
    if (opened !== undefined) {
      closers.push(opened);
      at++;
    } else if (!take(string) && !take(scalar)) return expected("a value");
    isValueRead = opened === undefined;
  }
}
