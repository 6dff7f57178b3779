// Joins the declarations of what plugins import into two files. Compilers read them instead of many
// files, for every project. One has what plugins without graphs import, a fifth: `svc build` reads
// it alone if that suffices. The other files stay for other entries: they re-export what moved.

import { rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { Project, ts } from "ts-morph";

const JOINED = "svc-server.d.ts";
const JOINED_PART = "svc-plugins.d.ts";
const OPTIONS = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ["lib.es2023.d.ts"],
  types: [],
};

/**
 * @param folder with the declarations that tsc wrote
 * @param entry module whose exports and their types move, relative to the folder
 * @param part module with a part of these exports
 */
export function joinDeclarations(folder, entry, part) {
  const project = new Project({ compilerOptions: OPTIONS });
  for (const path of [entry, part]) project.addSourceFileAtPath(join(folder, path));
  const program = project.getProgram().compilerObject;
  const joined = new JoinedDeclarations(program, folder, [part, entry]);
  const moved = [JOINED_PART, JOINED].map((name) => [join(folder, name), joined.text(name)]);
  const files = program.getSourceFiles().filter((file) => joined.isOwn(file));
  const texts = files.map((file) => [file.fileName, joined.remainder(file)]);
  for (const [name, text] of [...texts, ...moved]) {
    if (text === null) rmSync(name);
    else writeFileSync(name, text);
  }
}

class JoinedDeclarations {
  #checker;
  #program;
  #folder;
  /** Statements that move, with the joined file of each. */
  #statements = new Map();
  /** Name in the joined file by symbol. */
  #names = new Map();
  /** Symbols of files that cannot move, because they declare global types. */
  #imported = new Set();

  /** @param entries the part, and the module with all exports */
  constructor(program, folder, entries) {
    this.#program = program;
    this.#checker = program.getTypeChecker();
    this.#folder = folder;
    this.entries = entries.map((path) => program.getSourceFile(join(folder, path)));
    const [part, whole] = this.entries;
    this.#move(part, JOINED_PART);
    this.#move(whole, JOINED);
  }

  /** Moves what a module exports, and what that mentions, unless it has moved. */
  #move(entry, place) {
    const queue = this.#exportsOf(entry).map((symbol) => this.#resolve(symbol));
    for (let symbol = queue.shift(); symbol; symbol = queue.shift()) {
      if (this.#names.has(symbol) || this.#imported.has(symbol)) continue;
      for (const statement of statementsOf(symbol)) {
        if (!this.isOwn(statement.getSourceFile())) continue;
        if (declaresGlobals(statement.getSourceFile())) {
          this.#imported.add(symbol);
          continue;
        }
        this.#names.set(symbol, this.#names.get(symbol) ?? this.#freeName(symbol.name));
        if (this.#statements.has(statement)) continue;
        this.#statements.set(statement, place);
        this.#visit(statement, (found) => this.#isDeclaredHere(found) && queue.push(found));
      }
    }
  }

  /** Returns whether a file is a declaration of this package. */
  isOwn(file) {
    return file.isDeclarationFile && !this.#program.isSourceFileDefaultLibrary(file);
  }

  /** Returns the text of a joined file. */
  text(place) {
    const all = [...this.#statements.keys()].filter((one) => this.#statements.get(one) === place);
    const inOrder = all.sort(byPlace(this.#program));
    const moved = inOrder.map((statement) => this.#movedText(statement));
    return [...this.#libraries(), ...this.#imports(all, place), ...moved].join("");
  }

  /** Returns the imports of a joined file. */
  #imports(statements, place) {
    const mentioned = new Set();
    for (const statement of statements) this.#visit(statement, (symbol) => mentioned.add(symbol));
    const others = [...mentioned].filter((symbol) => (this.#placeOf(symbol) ?? place) !== place);
    if (others.length > 0 && place === JOINED_PART) throw new Error("the part needs the whole");
    const names = others.map((symbol) => this.#names.get(symbol)).sort();
    const path = specifier(this.#folder, join(this.#folder, JOINED_PART));
    const part = names.length === 0 ? [] : [`import { ${names.join(", ")} } from "${path}";\n`];
    const globals = [...this.#imported].filter((symbol) => mentioned.has(symbol));
    const imports = globals.map((symbol) => {
      const from = specifier(this.#folder, symbol.declarations[0].getSourceFile().fileName);
      return `import type { ${symbol.name} } from "${from}";\n`;
    });
    return [...part, ...imports];
  }

  /** Returns the joined file with the declarations of a symbol. */
  #placeOf(symbol) {
    return this.#names.has(symbol) ? this.#statements.get(statementsOf(symbol)[0]) : undefined;
  }

  /** References of the files of moved statements, for projects whose `lib` is older. */
  #libraries() {
    const files = new Set([...this.#statements.keys()].map((one) => one.getSourceFile()));
    const references = [...files].flatMap(({ libReferenceDirectives }) => libReferenceDirectives);
    const names = new Set(references.map(({ fileName }) => fileName));
    return [...names].sort().map((name) => `/// <reference lib="${name}" preserve="true" />\n`);
  }

  /**
   * Returns the rest of a file: statements that stayed, and re-exports of moved ones; null if
   * nothing is left.
   */
  remainder(file) {
    if (declaresGlobals(file)) return file.text;
    const own = this.#reexports(file);
    if (this.entries.includes(file)) return own;
    const kept = file.statements.filter(
      (statement) => !this.#statements.has(statement) && !isBareExport(statement),
    );
    const isEmpty = kept.every((statement) => ts.isImportDeclaration(statement));
    if (isEmpty) return own === "" ? null : own;
    const names = this.#movedSymbols(file).map((symbol) => {
      return [this.#placeOf(symbol), this.#renamed(symbol, symbol.name)];
    });
    const imports = this.#lines("import", file, names);
    return `${imports.join("") + kept.map((one) => one.getFullText()).join("")}\n${own}`;
  }

  #movedSymbols(file) {
    return [...this.#names.keys()].filter(
      (symbol) => symbol.declarations[0].getSourceFile() === file,
    );
  }

  /** Returns one statement for each joined file. */
  #lines(word, file, names) {
    return [JOINED_PART, JOINED].flatMap((place) => {
      const list = names.filter(([one]) => one === place).map(([, name]) => name);
      const path = specifier(dirname(file.fileName), join(this.#folder, place));
      return list.length === 0 ? [] : [`${word} { ${list.join(", ")} } from "${path}";\n`];
    });
  }

  #reexports(file) {
    const names = this.#exportsOf(file).flatMap((symbol) => {
      const target = this.#resolve(symbol);
      const isDeclaredHere = target.declarations[0].getSourceFile() === file;
      if (!this.entries.includes(file) && !isDeclaredHere) return [];
      if (!this.#names.has(target)) return this.#imported.has(target) ? [symbol] : [];
      const word = this.#isTypeOnly(symbol) ? "type " : "";
      return [[this.#placeOf(target), `${word}${this.#renamed(target, symbol.name)}`]];
    });
    const moved = names.filter((name) => Array.isArray(name));
    const others = names.filter((name) => !Array.isArray(name));
    const lines = others.map((symbol) => {
      const source = this.#resolve(symbol).declarations[0].getSourceFile().fileName;
      const from = specifier(dirname(file.fileName), source);
      return `export type { ${symbol.name} } from "${from}";\n`;
    });
    return [...this.#lines("export", file, moved), ...lines].join("");
  }

  #renamed(symbol, name) {
    const joined = this.#names.get(symbol);
    return joined === name ? name : `${joined} as ${name}`;
  }

  #isTypeOnly(symbol) {
    for (let one = symbol; one && one.flags & ts.SymbolFlags.Alias; ) {
      const [specifierNode] = one.declarations ?? [];
      const isSpecifier = specifierNode && ts.isExportSpecifier(specifierNode);
      if (isSpecifier && (specifierNode.isTypeOnly || specifierNode.parent.parent.isTypeOnly)) {
        return true;
      }
      one = this.#checker.getImmediateAliasedSymbol(one);
    }
    return false;
  }

  #exportsOf(file) {
    const symbol = this.#checker.getSymbolAtLocation(file);
    return symbol === undefined ? [] : this.#checker.getExportsOfModule(symbol);
  }

  #resolve(symbol) {
    return symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  #freeName(name) {
    const used = new Set(this.#names.values());
    for (let number = 1, free = name; ; free = `${name}_${number++}`) {
      if (!used.has(free)) return free;
    }
  }

  /** Returns the text of a statement with the names of the joined file. */
  #movedText(statement) {
    const file = statement.getSourceFile();
    const edits = [];
    const joined = new Set(this.#names.values());
    this.#visit(statement, (symbol, start, end) => {
      const own = this.#names.get(symbol) ?? symbol.name;
      const isHidden = !this.#isDeclaredHere(symbol) && joined.has(own);
      const name = isHidden ? `globalThis.${own}` : own;
      if (file.text.slice(start, end) !== name) edits.push({ start, end, name });
    });
    const isExported = statement.modifiers?.some(({ kind }) => kind === EXPORT);
    const start = statement.getStart();
    if (!isExported) edits.unshift({ start, end: start, name: "export " });
    let text = "";
    let at = statement.getFullStart();
    for (const edit of edits.sort((a, b) => a.start - b.start || a.end - b.end)) {
      text += file.text.slice(at, edit.start) + edit.name;
      at = edit.end;
    }
    return text + file.text.slice(at, statement.end);
  }

  /** Returns whether this package declares a symbol, not the language. */
  #isDeclaredHere(symbol) {
    return statementsOf(symbol).some((statement) => this.isOwn(statement.getSourceFile()));
  }

  /** Calls `found` for each mention of a declaration at the top of a file. */
  #visit(statement, found) {
    const mention = (node, start = node.getStart()) => {
      const symbol = this.#checker.getSymbolAtLocation(node);
      const target = symbol && this.#resolve(symbol);
      if (target && statementsOf(target).length > 0) found(target, start, node.end);
    };
    const visit = (node) => {
      if (ts.isImportTypeNode(node)) {
        if (!node.qualifier || !ts.isIdentifier(node.qualifier)) throw unsupported(node);
        mention(node.qualifier, node.getStart());
        for (const type of node.typeArguments ?? []) visit(type);
      } else if (this.#isNamespaceMember(node)) {
        mention(node.right ?? node.name, node.getStart());
      } else {
        if (ts.isIdentifier(node)) mention(node);
        ts.forEachChild(node, visit);
      }
    };
    visit(statement);
  }

  /** Returns whether a node is `module.Name`, with a module imported as a whole. */
  #isNamespaceMember(node) {
    const left = ts.isQualifiedName(node)
      ? node.left
      : ts.isPropertyAccessExpression(node) && node.expression;
    if (!left || !ts.isIdentifier(left)) return false;
    const symbol = this.#checker.getSymbolAtLocation(left);
    return symbol?.declarations?.some(ts.isNamespaceImport) === true;
  }
}

const EXPORT = ts.SyntaxKind.ExportKeyword;

/** Returns the statements that declare a symbol at the top of modules; none for other symbols. */
function statementsOf({ declarations = [] }) {
  return declarations.flatMap((declaration) => {
    const statement = ts.isVariableDeclaration(declaration)
      ? declaration.parent.parent
      : declaration;
    return ts.isSourceFile(statement.parent ?? statement) && !ts.isSourceFile(statement)
      ? [statement]
      : [];
  });
}

function declaresGlobals(file) {
  return file.statements.some((one) => ts.isModuleDeclaration(one));
}

/** `export {}` only makes a file a module. */
function isBareExport(statement) {
  if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier) return false;
  return !statement.exportClause || statement.exportClause.elements.length === 0;
}

function byPlace(program) {
  const order = new Map(program.getSourceFiles().map((file, index) => [file, index]));
  return (a, b) => order.get(a.getSourceFile()) - order.get(b.getSourceFile()) || a.pos - b.pos;
}

function specifier(from, file) {
  const path = relative(from, file)
    .replaceAll("\\", "/")
    .replace(/\.d\.ts$/, ".js");
  return path.startsWith(".") ? path : `./${path}`;
}

function unsupported(node) {
  return new Error(`${node.getSourceFile().fileName}: cannot join ${node.getText()}`);
}
