// The package's type declarations: everything its doors name in one file of its own, with nothing left to resolve.
// What TypeScript emits follows the source, file by file, and derives types from schemas of a library that is
// bundled and not installed.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const SHARED = "declarations";

/**
 * @param {string} emitted the folder TypeScript has written its declarations to
 * @param {Record<string, string>} doors name → declaration file in that folder
 * @param {string} dir where to write, for ES modules and for CommonJS
 */
export function writeTypes(emitted, doors, dir) {
  const files = Object.values(doors).map((file) => join(emitted, file));
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: [],
    strict: true,
    skipLibCheck: true,
  });
  const flat = new Declarations(program.getTypeChecker(), emitted);
  const exported = Object.entries(doors).map(([name, file]) => [
    name,
    flat.exportsOf(program.getSourceFile(join(emitted, file))),
  ]);
  mkdirSync(dir, { recursive: true });
  for (const [end, extension] of [
    [".d.ts", ".js"],
    [".d.cts", ".cjs"],
  ]) {
    // `Disposable` and its symbols, for a project whose `lib` is older and that has no types of Node.
    writeFileSync(join(dir, SHARED + end), `/// <reference lib="esnext.disposable" />\n${flat.text()}`);
    for (const [name, names] of exported)
      writeFileSync(
        join(dir, name + end),
        `export { ${names.join(", ")} } from "./${SHARED}${extension}";\n`,
      );
  }
}

/** The declarations that some exported name needs, each under its own name. */
class Declarations {
  #checker;
  #folder;
  /** Name → the symbol it is taken for. */
  #symbols = new Map();
  #texts = [];

  constructor(checker, folder) {
    this.#checker = checker;
    this.#folder = folder;
  }

  /** What a module exports, as an export clause has it. */
  exportsOf(file) {
    return this.#checker.getExportsOfModule(this.#checker.getSymbolAtLocation(file)).map((symbol) => {
      const target = this.#resolved(symbol);
      this.#add(target);
      const isType = (target.flags & ts.SymbolFlags.Value) === 0;
      return `${isType ? "type " : ""}${target.name}${target.name === symbol.name ? "" : ` as ${symbol.name}`}`;
    });
  }

  text() {
    return `${this.#texts.join("\n")}\n`;
  }

  #resolved(symbol) {
    return symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  #isOurs(symbol) {
    return (symbol.declarations ?? []).some((one) => one.getSourceFile().fileName.startsWith(this.#folder));
  }

  /** Takes a declaration in, and what it names in turn. */
  #add(symbol) {
    const known = this.#symbols.get(symbol.name);
    if (known === symbol) return;
    if (known !== undefined) throw new Error(`two declarations are called ${symbol.name}: rename one`);
    this.#symbols.set(symbol.name, symbol);
    for (const declaration of symbol.declarations ?? []) {
      const isVariable = ts.isVariableDeclaration(declaration);
      this.#take(isVariable ? declaration.parent.parent : declaration);
    }
  }

  #take(node) {
    const source = node.getSourceFile();
    if (ts.isTypeAliasDeclaration(node) && this.#isDerived(node.type)) {
      this.#texts.push(this.#expanded(node));
      return;
    }
    const from = node.getFullStart();
    const edits = [];
    const visit = (child) => {
      if (ts.isImportTypeNode(child)) {
        // import("./x.js").Name: the name is at hand here.
        edits.push([child.getStart(), child.qualifier.getStart()]);
        this.#follow(child.qualifier);
        child.typeArguments?.forEach(visit);
        return;
      }
      if (ts.isIdentifier(child)) this.#follow(child);
      ts.forEachChild(child, visit);
    };
    visit(node);
    let text = source.text.slice(from, node.getEnd());
    for (const [start, end] of edits.reverse()) text = text.slice(0, start - from) + text.slice(end - from);
    if (/\bz\./.test(text)) throw new Error(`${node.name?.text} is made of schemas, and no plain type`);
    this.#texts.push(text.trim());
  }

  /** Whether a type is made of schemas, of the type of a value or of a part of another. */
  #isDerived(node) {
    if (/\bz\./.test(node.getText()) || ts.isTypeQueryNode(node) || ts.isIndexedAccessTypeNode(node))
      return true;
    return ts.forEachChild(node, (child) => this.#isDerived(child) || undefined) === true;
  }

  /** A type that is derived from something else, written out: what it is derived from is nobody's business. */
  #expanded(alias) {
    const comment = alias
      .getFullText()
      .slice(0, alias.getStart() - alias.getFullStart())
      .trim();
    const flags =
      ts.TypeFormatFlags.NoTruncation |
      ts.TypeFormatFlags.InTypeAlias |
      ts.TypeFormatFlags.MultilineObjectLiterals;
    const type = this.#checker.getTypeAtLocation(alias.name);
    const text = this.#checker.typeToString(type, undefined, flags);
    const parameters = alias.typeParameters?.map((one) => one.getText()).join(", ");
    if (parameters !== undefined) throw new Error(`${alias.name.text} has parameters and is derived`);
    const declaration = `export type ${alias.name.text} = ${text};`;
    const parsed = ts.createSourceFile("expanded.ts", declaration, ts.ScriptTarget.ES2022, true);
    const visit = (node) => {
      if (ts.isTypeReferenceNode(node)) {
        const name = node.typeName.getText(parsed);
        const found = this.#checker.resolveName(name, alias, ts.SymbolFlags.Type, false);
        if (found === undefined) throw new Error(`${alias.name.text} names ${name}, which is not at hand`);
        if (this.#isOurs(this.#resolved(found))) this.#add(this.#resolved(found));
      }
      ts.forEachChild(node, visit);
    };
    visit(parsed);
    return `${comment === "" ? "" : `${comment}\n`}${declaration}`;
  }

  #follow(identifier) {
    const symbol = this.#checker.getSymbolAtLocation(identifier);
    if (symbol === undefined) return;
    const target = this.#resolved(symbol);
    const isTopLevel = (target.declarations ?? []).some((one) => {
      const statement = ts.isVariableDeclaration(one) ? one.parent.parent : one;
      return statement.parent !== undefined && ts.isSourceFile(statement.parent);
    });
    if (isTopLevel && this.#isOurs(target)) this.#add(target);
  }
}
