import { isBuiltin } from "node:module";
import * as ts from "typescript/unstable/ast";
import { parse } from "./syntax.js";

/** A violation of docs/internal/architecture.md: an import, or a use of time or randomness. */
export interface SourceFault {
  /** Path below src, with slashes. */
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

const PURE_LAYERS = ["schema", "domain", "engine"] as const;
const CORE = [...PURE_LAYERS, "time", "files", "store", "delivery", "namespace"] as const;

/** Layers of core that tools and the command may import. */
const KIT = ["schema", "domain", "time", "files", "delivery", "client", "reports"] as const;
const TOOLS = ["scenario", "doctor", "explore", "compare"] as const;

/** Layers that each layer may import besides itself. */
const MAY_IMPORT = {
  schema: [],
  domain: ["schema"],
  engine: ["schema", "domain"],
  time: PURE_LAYERS,
  files: PURE_LAYERS,
  store: [...PURE_LAYERS, "time"],
  delivery: [...PURE_LAYERS, "time"],
  namespace: [...PURE_LAYERS, "time", "store", "delivery", "reports"],
  client: ["schema"],
  reports: ["schema", "client"],
  server: [...CORE, "client", "reports"],
  pages: ["schema", "domain", "time", "files", "client", "reports", "server"],
  scenario: KIT,
  doctor: [...KIT, "engine"],
  explore: [...KIT, "scenario"],
  compare: KIT,
  library: [...CORE, "client", "reports", "server", "pages", ...TOOLS],
  testing: [...KIT, ...TOOLS, "server", "library"],
  cli: [...KIT, ...TOOLS, "server", "library"],
} as const satisfies Record<string, readonly string[]>;
type Layer = keyof typeof MAY_IMPORT;

/** Layers of each folder; a folder without a list is one layer. */
const ROOMS: Readonly<Record<string, readonly Layer[] | undefined>> = {
  core: [...CORE, "client", "reports"],
  server: undefined,
  pages: undefined,
  tools: TOOLS,
  library: undefined,
  testing: undefined,
  cli: undefined,
};

/** Packages that only one file may import. */
const ONLY_IMPORTER: Readonly<Record<string, string>> = { "decimal.js": "core/domain/money.ts" };

/** Pure layers may use only Node's hash functions. */
const PURE: readonly Layer[] = PURE_LAYERS;
const PURE_MODULES: readonly string[] = ["node:crypto"];

const IMPURE_MODULES: readonly string[] = ["timers", "timers/promises", "perf_hooks"];

/** Names of time, timers and randomness. */
const IMPURE_NAMES: Readonly<Record<string, string>> = {
  setTimeout: "timer",
  setInterval: "timer",
  setImmediate: "timer",
  hrtime: "wall time",
  performance: "wall time",
  randomBytes: "randomness",
  randomFill: "randomness",
  randomFillSync: "randomness",
  randomInt: "randomness",
  randomUUID: "randomness",
  randomUUIDv7: "randomness",
  getRandomValues: "randomness",
};

/** Pure functions of these globals; any other use is an error. */
const PURE_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  Date: ["parse", "UTC", "prototype"],
  AbortSignal: ["abort", "any", "prototype"],
};

function layerOf(file: string): Layer | undefined {
  const [room, folder] = file.split("/") as [string, string?];
  if (!Object.hasOwn(ROOMS, room)) return undefined;
  const layers = ROOMS[room];
  return layers === undefined ? (room as Layer) : layers.find((layer) => layer === folder);
}

/** Returns the target of a relative import as a path below src. */
function resolve(from: string, specifier: string): string | undefined {
  const parts = from.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== ".") parts.push(part);
  }
  return parts.join("/").replace(/\.js(x?)$/, ".ts$1");
}

function importFault(file: string, specifier: string): string | undefined {
  const layer = layerOf(file)!;
  if (!specifier.startsWith(".")) {
    const only = ONLY_IMPORTER[specifier];
    if (only !== undefined && only !== file) return `imports ${specifier}, which only ${only} may`;
    if (isBuiltin(specifier) && PURE.includes(layer) && !PURE_MODULES.includes(specifier))
      return `imports ${specifier}, but ${layer} is pure`;
    if (layer !== "time" && IMPURE_MODULES.includes(specifier.replace(/^node:/, "")))
      return `imports ${specifier} outside src/core/time/`;
    return undefined;
  }
  const target = resolve(file, specifier);
  const targetLayer = target === undefined ? undefined : layerOf(target);
  if (targetLayer === undefined) return `imports ${specifier}, which is in no layer`;
  const allowed: readonly Layer[] = MAY_IMPORT[layer];
  if (targetLayer !== layer && !allowed.includes(targetLayer))
    return `imports ${specifier}: ${layer} must not know ${targetLayer}`;
  return undefined;
}

/** Returns the imported path, or null when it is computed. */
function specifierIn(node: ts.Node): string | null | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
    return node.moduleSpecifier === undefined ? undefined : textOf(node.moduleSpecifier);
  if (ts.isExternalModuleReference(node)) return textOf(node.expression);
  if (ts.isImportTypeNode(node))
    return ts.isLiteralTypeNode(node.argument) ? textOf(node.argument.literal) : null;
  if (ts.isCallExpression(node)) {
    const called = node.expression;
    const isImport =
      called.kind === ts.SyntaxKind.ImportKeyword ||
      (ts.isIdentifier(called) && called.text === "require") ||
      /^(import\.meta|require)\.resolve$/.test(called.getText());
    if (isImport) return node.arguments[0] === undefined ? null : textOf(node.arguments[0]);
  }
  return undefined;
}

function textOf(node: ts.Node): string | null {
  return ts.isStringLiteralLikeNode(node) ? node.text : null;
}

/** True if the identifier is read and is neither a type nor a declared name. */
function isRead(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isTypeReferenceNode(parent) || ts.isTypeQueryNode(parent) || ts.isQualifiedName(parent))
    return false;
  if (ts.isExpressionWithTypeArguments(parent)) return false;
  const isNameOfMember =
    ts.isPropertyAssignment(parent) ||
    ts.isPropertySignatureDeclaration(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isMethodSignatureDeclaration(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isParameterDeclaration(parent);
  return !(isNameOfMember && parent.name === node);
}

function isMemberName(node: ts.Identifier): boolean {
  return ts.isPropertyAccessExpression(node.parent) && node.parent.name === node;
}

function purityFault(node: ts.Node): string | undefined {
  if (
    ts.isElementAccessExpression(node) &&
    ts.isStringLiteralLikeNode(node.argumentExpression) &&
    Object.hasOwn(IMPURE_NAMES, node.argumentExpression.text)
  )
    return `${node.argumentExpression.text}: ${IMPURE_NAMES[node.argumentExpression.text]}`;
  if (!ts.isIdentifier(node) || !isRead(node)) return undefined;
  const { text, parent } = node;
  if (Object.hasOwn(IMPURE_NAMES, text)) return `${text}: ${IMPURE_NAMES[text]}`;
  const chain = isMemberName(node) ? parent : node;
  const use = chain.parent;
  const member = ts.isPropertyAccessExpression(use) && use.expression === chain ? use.name.text : undefined;
  if (text === "Math" && (member === undefined || member === "random")) return "Math.random: randomness";
  if (text === "process" && member === "uptime") return "process.uptime: wall time";
  if (text === "Temporal" && member === "Now") return "Temporal.Now: wall time";
  if (!Object.hasOwn(PURE_MEMBERS, text)) return undefined;
  if (member !== undefined && PURE_MEMBERS[text]!.includes(member)) return undefined;
  if (ts.isBinaryExpression(use) && use.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword)
    return undefined;
  if (ts.isNewExpression(use) && use.expression === chain) {
    const [first] = use.arguments ?? [];
    if (first !== undefined && !ts.isSpreadElement(first)) return undefined;
    return `new ${text}() without an argument: wall time`;
  }
  return `${text}${member === undefined ? "" : `.${member}`}: wall time`;
}

/** Code of pages that runs in a browser, whose time and timers are its own. */
function runsInBrowser(file: string): boolean {
  return file.endsWith(".browser.ts");
}

/** Returns all violations in a source file. */
export function faultsOf(file: string, source: string): SourceFault[] {
  if (layerOf(file) === undefined) return [{ file, line: 1, message: "is in no layer of the architecture" }];
  const isPure = layerOf(file) !== "time" && !runsInBrowser(file);
  const faults: SourceFault[] = [];
  const tree = parse(source);
  const note = (node: ts.Node, message: string): void => {
    faults.push({ file, line: tree.getLineAndCharacterOfPosition(node.getStart()).line + 1, message });
  };
  const visit = (node: ts.Node): void => {
    const specifier = specifierIn(node);
    if (specifier === null) note(node, "imports what only shows at run time");
    else if (specifier !== undefined) {
      const message = importFault(file, specifier);
      if (message !== undefined) note(node, message);
    }
    const impure = isPure ? purityFault(node) : undefined;
    if (impure !== undefined) note(node, impure);
    node.forEachChild(visit);
  };
  visit(tree);
  return faults;
}

/** Returns the names of mutable module variables. */
export function moduleVariablesIn(source: string): string[] {
  const file = parse(source);
  return file.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) =>
    declarationList.declarations
      .filter(({ initializer }) => {
        const isConstant = (declarationList.flags & ts.NodeFlags.Const) !== 0;
        if (!isConstant || initializer === undefined) return !isConstant;
        if (ts.isNewExpression(initializer)) return (initializer.arguments?.length ?? 0) === 0;
        return (
          (ts.isArrayLiteralExpression(initializer) && initializer.elements.length === 0) ||
          (ts.isObjectLiteralExpression(initializer) && initializer.properties.length === 0)
        );
      })
      .map(({ name }) => name.getText()),
  );
}
