import { MAX_JSON_DEPTH, TOO_DEEP_MESSAGE } from "../schema/json-objects.js";

export type YamlModule = typeof import("yaml");
export type YamlDocument = ReturnType<YamlModule["parseDocument"]>;

const MAX_ALIASES = 1_000;

export interface YamlFault {
  readonly offset: number;
  readonly message: string;
}

const COLON = "a text with a colon and a space is put in quotes";
/** The library's error code → the probable mistake. */
const SYNTAX: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: "begins another document: there is one in a file",
  BLOCK_AS_IMPLICIT_KEY: `is a field within a line that has one already: look at the indentation; ${COLON}`,
  MULTILINE_IMPLICIT_KEY:
    "goes on where a field should begin: look at the indentation, and for a colon that is missing",
  UNEXPECTED_TOKEN: "is not expected here: look for a colon or a bracket that is missing before it",
  TAB_AS_INDENT: "tabs are not allowed as indentation: use spaces",
};

/** The first syntax error of a document that has some: most of the others follow from it. */
export function syntaxFault({ errors: [first] }: YamlDocument): YamlFault {
  const { pos, code, message } = first!;
  return {
    offset: pos[0],
    message: /call stack/.test(message) ? TOO_DEEP_MESSAGE : (SYNTAX[code] ?? message),
  };
}

interface Nested {
  readonly node: unknown;
  readonly ancestors: readonly unknown[];
}

/** Finds valid YAML that is refused here: repeated keys, unknown aliases, values that contain themselves. */
export function* structureFaults(yaml: YamlModule, document: YamlDocument): Generator<YamlFault> {
  const open: Nested[] = [{ node: document.contents, ancestors: [] }];
  let aliases = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, ancestors } = next;
    if (yaml.isAlias(node)) {
      const offset = node.range?.[0] ?? 0;
      if (++aliases > MAX_ALIASES) return yield { offset, message: `more than ${MAX_ALIASES} aliases` };
      const target = node.resolve(document);
      if (target === undefined)
        yield {
          offset,
          message: `there is no anchor &${node.source} before this; put a text that begins with * in quotes`,
        };
      else if (ancestors.includes(target)) yield { offset, message: `*${node.source} contains itself` };
    }
    if (!yaml.isCollection(node)) continue;
    if (ancestors.length >= MAX_JSON_DEPTH)
      return yield { offset: node.range?.[0] ?? 0, message: TOO_DEEP_MESSAGE };
    yield* repeatedKeys(yaml, node.items);
    const path = [...ancestors, node];
    for (const child of childrenOf(yaml, node.items)) open.push({ node: child, ancestors: path });
  }
}

/** Items of a list; values and non-scalar keys of a map. */
function childrenOf(yaml: YamlModule, items: readonly unknown[]): unknown[] {
  return items.flatMap((item) => {
    if (!yaml.isPair(item)) return [item];
    return yaml.isScalar(item.key) ? [item.value] : [item.key, item.value];
  });
}

function* repeatedKeys(yaml: YamlModule, items: readonly unknown[]): Generator<YamlFault> {
  const keys = new Set<string>();
  for (const item of items) {
    if (!yaml.isPair(item) || !yaml.isScalar(item.key)) continue;
    const name = String(item.key.value);
    if (keys.has(name))
      yield { offset: item.key.range?.[0] ?? 0, message: `${JSON.stringify(name)} is here twice` };
    keys.add(name);
  }
}

export function yamlWarnings(yaml: YamlModule, document: YamlDocument): YamlFault[] {
  const warnings: YamlFault[] = document.warnings.map(({ pos, message }) => ({
    offset: pos[0],
    message: message.replace(/^Unresolved tag: (.*)$/s, "the tag $1 is unknown and ignored"),
  }));
  yaml.visit(document, {
    Scalar: (key, { value, range, source }) => {
      const offset = range?.[0] ?? 0;
      if (typeof value === "number" && !Number.isFinite(value))
        warnings.push({ offset, message: `${source} is no number that JSON has: it is sent as null` });
      if (key === "key" && value === "__proto__")
        warnings.push({ offset, message: "a field called __proto__ is lost in many programs" });
    },
  });
  return warnings;
}

export function firstAliasOffset(yaml: YamlModule, document: YamlDocument): number {
  let offset = 0;
  yaml.visit(document, {
    Alias: (_key, { range }) => {
      offset = range?.[0] ?? 0;
      return yaml.visit.BREAK;
    },
  });
  return offset;
}
