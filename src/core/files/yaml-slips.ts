import { MAX_DEPTH, TOO_DEEP } from "../schema/depth.js";

export type Yaml = typeof import("yaml");
export type YamlDocument = ReturnType<Yaml["parseDocument"]>;

const MAX_ALIASES = 1_000;

/** Something in a file that YAML lets pass. */
export interface Slip {
  readonly offset: number;
  readonly message: string;
}

const COLON = "a text with a colon and a space is put in quotes";
/** What is probably wrong where YAML cannot go on, by what the library calls it. */
const SYNTAX: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: "begins another document: there is one in a file",
  BLOCK_AS_IMPLICIT_KEY: `is a field within a line that has one already: look at the indentation; ${COLON}`,
  MULTILINE_IMPLICIT_KEY:
    "goes on where a field should begin: look at the indentation, and for a colon that is missing",
  UNEXPECTED_TOKEN: "is not expected here: look for a colon or a bracket that is missing before it",
  TAB_AS_INDENT: "tabs are not allowed as indentation: use spaces",
};

/** Why it cannot be read at all. What comes after the first is mostly its consequence: one a line, and no more of such. */
export function syntaxSlips({ errors }: YamlDocument): Slip[] {
  const slips = errors.map(({ pos, code, message }) => ({
    offset: pos[0],
    isKnown: Object.hasOwn(SYNTAX, code),
    message: /call stack/.test(message) ? TOO_DEEP : (SYNTAX[code] ?? message),
  }));
  return slips.filter(({ isKnown }, index) => index === 0 || !isKnown);
}

/** A part of a file, and what it lies in. */
interface Nested {
  readonly node: unknown;
  readonly above: readonly unknown[];
}

/** What YAML lets pass and a file of ours may not have: a key written twice, a value that contains itself. */
export function* slipsIn(yaml: Yaml, document: YamlDocument): Generator<Slip> {
  const open: Nested[] = [{ node: document.contents, above: [] }];
  let aliases = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, above } = next;
    if (yaml.isAlias(node)) {
      const offset = node.range?.[0] ?? 0;
      if (++aliases > MAX_ALIASES) return yield { offset, message: `more than ${MAX_ALIASES} aliases` };
      const meant = node.resolve(document);
      if (meant === undefined)
        yield {
          offset,
          message: `nothing before this is called &${node.source}; a text that begins with * is put in quotes`,
        };
      else if (above.includes(meant)) yield { offset, message: `*${node.source} stands for what it is in` };
    }
    if (!yaml.isCollection(node)) continue;
    if (above.length >= MAX_DEPTH) return yield { offset: node.range?.[0] ?? 0, message: TOO_DEEP };
    yield* twiceIn(yaml, node.items);
    const around = [...above, node];
    for (const part of partsOf(yaml, node.items)) open.push({ node: part, above: around });
  }
}

/** Items of a list; of a map the values, and the keys that are more than a word. */
function partsOf(yaml: Yaml, items: readonly unknown[]): unknown[] {
  return items.flatMap((item) => {
    if (!yaml.isPair(item)) return [item];
    return yaml.isScalar(item.key) ? [item.value] : [item.key, item.value];
  });
}

function* twiceIn(yaml: Yaml, items: readonly unknown[]): Generator<Slip> {
  const keys = new Set<string>();
  for (const item of items) {
    if (!yaml.isPair(item) || !yaml.isScalar(item.key)) continue;
    const name = String(item.key.value);
    if (keys.has(name))
      yield { offset: item.key.range?.[0] ?? 0, message: `${JSON.stringify(name)} is here twice` };
    keys.add(name);
  }
}

/** What YAML makes of a part of a file that can hardly be meant. */
export function odditiesIn(yaml: Yaml, document: YamlDocument): Slip[] {
  const found: Slip[] = document.warnings.map(({ pos, message }) => ({
    offset: pos[0],
    message: message.replace(/^Unresolved tag: (.*)$/s, "the tag $1 means nothing here and is passed over"),
  }));
  yaml.visit(document, {
    Scalar: (key, { value, range, source }) => {
      const offset = range?.[0] ?? 0;
      if (typeof value === "number" && !Number.isFinite(value))
        found.push({ offset, message: `${source} is no number that JSON has: it is sent as null` });
      if (key === "key" && value === "__proto__")
        found.push({ offset, message: "a field called __proto__ is lost in many programs" });
    },
  });
  return found;
}

/** Where a file first has one thing stand for another. */
export function firstAlias(yaml: Yaml, document: YamlDocument): number {
  let offset = 0;
  yaml.visit(document, {
    Alias: (_key, { range }) => {
      offset = range?.[0] ?? 0;
      return yaml.visit.BREAK;
    },
  });
  return offset;
}
