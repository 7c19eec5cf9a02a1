// The package's type declarations: everything its doors name in one file of its own, with nothing left to resolve.
// What TypeScript emits follows the source, file by file, and derives types from schemas of a library that is
// bundled and not installed. A type made of a schema is written out, with the words of its fields.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as ts from "typescript/unstable/ast";
import { API, NodeBuilderFlags, SignatureKind, SymbolFlags, TypeFlags } from "typescript/unstable/sync";
import { parse } from "./syntax.mjs";
import { fieldsOfType, jsDocOf, literalsOf, schemaOfParts, unwrapped } from "./type-words.mjs";

const SHARED = "declarations";

/**
 * @param {string} emitted the folder TypeScript has written its declarations to
 * @param {Record<string, string>} doors name → declaration file in that folder
 * @param {string} dir where to write, for ES modules and for CommonJS
 * @param {Record<string, unknown>} values path in that folder, `#` and name → the exported value of that name
 */
export function writeTypes(emitted, doors, dir, values) {
  const files = Object.values(doors).map((file) => join(emitted, file));
  const compilerOptions = {
    module: "NodeNext",
    target: "ES2022",
    lib: ["ES2023", "ESNext.Disposable", "DOM", "DOM.Iterable"],
    types: [],
    strict: true,
    skipLibCheck: true,
  };
  const configFile = join(emitted, "tsconfig.json");
  writeFileSync(configFile, JSON.stringify({ compilerOptions, files }));
  const api = new API();
  const project = api.updateSnapshot({ openProjects: [configFile] }).getProject(configFile);
  const { program } = project;
  const flat = new Declarations(project, emitted, values);
  const sources = program.getSourceFileNames().filter((file) => file.startsWith(emitted));
  for (const file of sources) flat.learnNames(program.getSourceFile(file), false);
  for (const file of files) flat.learnNames(program.getSourceFile(file), true);
  const exported = Object.entries(doors).map(([name, file]) => [
    name,
    flat.exportsOf(program.getSourceFile(join(emitted, file))),
  ]);
  api.close();
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
  #program;
  #checker;
  #folder;
  /** Name → the symbol it is taken for. */
  #symbols = new Map();
  #texts = [];
  #values;
  /** Schema → the exported type that is made of it alone. */
  #ofSchemas = new Map();
  /** Exported unions. */
  #unions = [];
  /** Part of the interface being written → where it is: `ControlOperations["getClock"]["output"]`. */
  #places = new Map();
  /** What has been written by its name. */
  #named = new Map();

  constructor({ program, checker }, folder, values) {
    this.#program = program;
    this.#checker = checker;
    this.#folder = folder;
    this.#values = values;
  }

  /** Learns the aliases of a file, so that a part of another type is written by its name; those of doors go before. */
  learnNames(file, isDoor) {
    const module = this.#checker.getSymbolAtLocation(file);
    for (const exported of module === undefined ? [] : this.#checker.getExportsOfModule(module)) {
      const symbol = this.#resolved(exported);
      const alias = declarationsOf(symbol).find(ts.isTypeAliasDeclaration);
      if (alias === undefined || alias.typeParameters !== undefined) continue;
      const type = this.#checker.getTypeAtLocation(alias.name);
      if (isDoor && type.isUnionType()) this.#unions.push({ symbol, type });
      const words = this.#wordsOf(alias);
      if (words !== undefined && /^(DeepReadonly<)?z\.infer<typeof \w+>+$/.test(alias.type.getText()))
        this.#ofSchemas.set(words, symbol);
    }
  }

  /** What a module exports, as an export clause has it. */
  exportsOf(file) {
    return this.#checker.getExportsOfModule(this.#checker.getSymbolAtLocation(file)).map((symbol) => {
      const target = this.#resolved(symbol);
      this.#add(target);
      const isType = (target.flags & SymbolFlags.Value) === 0;
      return `${isType ? "type " : ""}${target.name}${target.name === symbol.name ? "" : ` as ${symbol.name}`}`;
    });
  }

  text() {
    return `${this.#texts.join("\n")}\n`;
  }

  #resolved(symbol) {
    return symbol.flags & SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  #isOurs(symbol) {
    return declarationsOf(symbol).some((one) => one.getSourceFile().fileName.startsWith(this.#folder));
  }

  /** Takes a declaration in, and what it names in turn. */
  #add(symbol) {
    const known = this.#symbols.get(symbol.name);
    if (known === symbol) return;
    if (known !== undefined) throw new Error(`two declarations are called ${symbol.name}: rename one`);
    this.#symbols.set(symbol.name, symbol);
    for (const declaration of declarationsOf(symbol)) {
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
      child.forEachChild(visit);
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
    if (ts.isMappedTypeNode(node)) return true;
    return node.forEachChild((child) => this.#isDerived(child) || undefined) === true;
  }

  /** A type that is derived from something else, written out: what it is derived from is nobody's business. */
  #expanded(alias) {
    const { name } = alias;
    if (alias.typeParameters !== undefined) throw new Error(`${name.text} has parameters and is derived`);
    const comment = alias.getFullText().slice(0, alias.getStart() - alias.getFullStart());
    const isReadonly = /\bDeepReadonly</.test(alias.type.getText())
      ? "deep"
      : /^Readonly</.test(alias.type.getText()) && "here";
    const words = this.#wordsOf(alias);
    this.#places.clear();
    const type = this.#checker.getTypeAtLocation(name);
    const text = this.#written(type, { words, isReadonly, indent: "", alias, place: name.text });
    const declaration = this.#isPlainObject(type)
      ? `export interface ${name.text} ${text}`
      : `export type ${name.text} = ${text};`;
    const parsed = parse(declaration);
    const visit = (node) => {
      if (ts.isTypeReferenceNode(node)) this.#addNamed(node.typeName.getText(parsed), alias);
      node.forEachChild(visit);
    };
    visit(parsed);
    const describe = this.#values["core/schema/descriptions#schemaDescriptionOf"];
    return `${comment.trim() || jsDocOf(words && describe(words), "").trim()}\n${declaration}`.trim();
  }

  #addNamed(name, alias) {
    const found = this.#named.get(name) ?? this.#checker.resolveName(name, SymbolFlags.Type, alias);
    if (found === undefined) throw new Error(`${alias.name.text} names ${name}, which is not at hand`);
    if (this.#isOurs(this.#resolved(found))) this.#add(this.#resolved(found));
  }

  /** What has the words of an alias: the value after its `typeof`, or what is given for its name. */
  #wordsOf(alias) {
    const given = this.#values[alias.name.text];
    if (given !== undefined) return given;
    const find = (node) =>
      ts.isTypeQueryNode(node) ? node.exprName : node.forEachChild((child) => find(child));
    const name = find(alias.type);
    if (name === undefined) return undefined;
    const [declaration] = declarationsOf(this.#resolved(this.#checker.getSymbolAtLocation(name)));
    const { fileName } = declaration.getSourceFile();
    const path = fileName.slice(this.#folder.length + 1).replace(/\.d\.ts$/, "");
    return this.#values[`${path}#${name.getText()}`];
  }

  /** A type as text: the parts that have names by these, other objects field by field. */
  #written(type, at) {
    const { words, indent, around = [] } = at;
    // A schema that contains itself has no end.
    if (words !== undefined && around.includes(unwrapped(words))) return "unknown";
    const isReadonly = at.isReadonly === "deep" && "deep";
    const item = {
      ...at,
      isPart: true,
      isMember: false,
      words: schemaOfParts(words),
      isReadonly,
      around: [...around, unwrapped(words)],
      place: undefined,
    };
    const name = at.isPart ? this.#nameOf(type, at, item) : undefined;
    if (name !== undefined) return name;
    if (type.isUnionType()) return this.#union(type, at);
    if (this.#checker.isArrayType(type)) {
      const place = at.place && `${at.place}[number]`;
      const text = this.#written(this.#checker.getTypeArguments(type)[0], { ...item, place });
      const list = text.includes(" | ") && !text.startsWith("{") ? `(${text})[]` : `${text}[]`;
      return type.getTarget().getSymbol().name === "ReadonlyArray" ? `readonly ${list}` : list;
    }
    if (!this.#isPlainObject(type)) return this.#text(type);
    const properties = this.#checker.getPropertiesOfType(type);
    const [index] = this.#checker.getIndexInfosOfType(type);
    if (index !== undefined && properties.length === 0) {
      const record = `Record<${this.#text(index.keyType)}, ${this.#written(index.valueType, item)}>`;
      return index.isReadonly ? `Readonly<${record}>` : record;
    }
    // A type has one instance for each way to it, its schema has one.
    const key = unwrapped(words)?.shape ?? type;
    const before = at.isMember ? undefined : this.#places.get(key);
    if (before !== undefined) return before;
    if (at.place !== undefined && properties.length > 2) this.#places.set(key, at.place);
    const describe = this.#values["core/schema/descriptions#schemaDescriptionOf"];
    const names = properties.map(({ name }) => name);
    const fields = fieldsOfType(words, names, describe);
    const place = ({ name }) => Object.keys(fields).indexOf(name);
    const inner = `${indent}    `;
    const lines = properties
      .sort((one, other) => place(one) - place(other))
      .map((property) => {
        const field = fields[property.name];
        const within = {
          ...item,
          words: field?.schema,
          indent: inner,
          place: at.place && `${at.place}["${property.name}"]`,
        };
        const text = this.#written(this.#checker.getTypeOfSymbol(property), within);
        const key = /^\w+$/.test(property.name) ? property.name : JSON.stringify(property.name);
        const isOptional = (property.flags & SymbolFlags.Optional) !== 0;
        return `${jsDocOf(field, inner)}${inner}${at.isReadonly ? "readonly " : ""}${key}${isOptional ? "?" : ""}: ${text};\n`;
      });
    return `{\n${lines.join("")}${indent}}`;
  }

  #union(type, at) {
    const isNothing = ({ flags }) => (flags & (TypeFlags.Null | TypeFlags.Undefined)) !== 0;
    const nothing = type
      .getTypes()
      .filter(isNothing)
      .map((one) => this.#text(one));
    const rest = type.getTypes().filter((one) => !isNothing(one));
    at = { ...at, place: rest.length === 1 && at.place ? `NonNullable<${at.place}>` : undefined };
    const isMember = rest.filter((one) => this.#isPlainObject(one)).length > 1;
    const name = rest.length > 1 ? this.#nameOfUnion(this.#checker.getNonNullableType(type), at) : undefined;
    if (name !== undefined) return [name, ...nothing].join(" | ");
    const isBoolean = ({ flags }) => (flags & TypeFlags.BooleanLiteral) !== 0;
    const others = inOrder(
      rest.filter((one) => !isBoolean(one)),
      literalsOf(at.words),
    ).map((one) => this.#written(one, { ...at, isPart: true, isMember }));
    const booleans = rest.filter(isBoolean);
    const parts = [
      ...(booleans.length === 2 ? ["boolean"] : booleans.map((one) => this.#text(one))),
      ...others,
    ];
    return [...parts.map((one) => (one.includes("=>") ? `(${one})` : one)), ...nothing].join(" | ");
  }

  /** The exported union that has the same members, one of them a literal. */
  #nameOfUnion(union, { alias, words }) {
    const ofSchema = this.#ofSchemas.get(unwrapped(words));
    const isOfObjects = union.getTypes().every((one) => this.#isPlainObject(one));
    if (ofSchema !== undefined && ofSchema.name !== alias.name.text && isOfObjects)
      return this.#byName(ofSchema);
    if (!union.getTypes().some((one) => one.isLiteralType())) return undefined;
    const same = this.#unions.find(
      ({ symbol, type }) =>
        symbol.name !== alias.name.text &&
        this.#checker.isTypeAssignableTo(type, union) &&
        this.#checker.isTypeAssignableTo(union, type),
    );
    return same && this.#byName(same.symbol);
  }

  #byName(symbol) {
    this.#named.set(symbol.name, symbol);
    return symbol.name;
  }

  /** The name of a part: of the exported type made of the same schema, or the one it was declared under. */
  #nameOf(type, { words, isMember }, item) {
    const ofSchema = this.#ofSchemas.get(unwrapped(words));
    if (ofSchema !== undefined && !isMember && this.#isPlainObject(type)) return this.#byName(ofSchema);
    const [symbol, aliasSymbol] = [type.getSymbol(), type.getAliasSymbol()];
    const aliasTypeArguments = aliasSymbol === undefined ? [] : type.getAliasTypeArguments();
    const isDeclared = ((symbol?.flags ?? 0) & (SymbolFlags.Class | SymbolFlags.Interface)) !== 0;
    if (isDeclared && this.#isOurs(symbol)) return this.#byName(symbol);
    if (aliasSymbol === undefined) return undefined;
    if (this.#isOurs(aliasSymbol))
      return aliasTypeArguments.length === 0 ? this.#byName(aliasSymbol) : undefined;
    const isOfLanguage = declarationsOf(aliasSymbol).every((one) =>
      this.#program.isSourceFileDefaultLibrary(one.getSourceFile()),
    );
    if (!isOfLanguage) return undefined;
    const parts = aliasTypeArguments.map((one) => this.#written(one, item));
    return `${aliasSymbol.name}<${parts.join(", ")}>`;
  }

  #isPlainObject(type) {
    if ((type.flags & (TypeFlags.Object | TypeFlags.Intersection)) === 0) return false;
    if (this.#checker.isTupleType(type) || this.#checker.isArrayType(type)) return false;
    if (this.#checker.getSignaturesOfType(type, SignatureKind.Call).length > 0) return false;
    return ((type.getSymbol()?.flags ?? 0) & (SymbolFlags.Class | SymbolFlags.Interface)) === 0;
  }

  #text(type) {
    const flags = NodeBuilderFlags.NoTruncation | NodeBuilderFlags.MultilineObjectLiterals;
    return this.#checker.typeToString(type, undefined, flags);
  }

  #follow(identifier) {
    const symbol = this.#checker.getSymbolAtLocation(identifier);
    if (symbol === undefined) return;
    const target = this.#resolved(symbol);
    const isTopLevel = declarationsOf(target).some((one) => {
      const statement = ts.isVariableDeclaration(one) ? one.parent.parent : one;
      return statement.parent !== undefined && ts.isSourceFile(statement.parent);
    });
    if (isTopLevel && this.#isOurs(target)) this.#add(target);
  }
}

function declarationsOf(symbol) {
  return symbol.declarations.map((handle) => handle.resolve());
}

/** Literals in the order they have in the source; TypeScript has them in the order it met them. */
function inOrder(types, values) {
  const place = ({ value }) => values.indexOf(value);
  return [...types].sort((one, other) => place(one) - place(other));
}
