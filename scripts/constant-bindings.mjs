// Turns the variables of a build that never change into constants, which the engine folds into
// machine code. A bundler declares them by `var`, and what files share lies in cells, so each use
// of a number was a read, a check and a conversion. Lines stay the same, as do the columns of
// initial values, for source maps.

import { dirname, join } from "node:path";
import { ts } from "ts-morph";

/** Suffixes of what a file imports and exports; its constants have the names without them. */
const IN = "$IN";
const OUT = "$OUT";

/**
 * @param codes the files of a build by path
 * @throws Error if they import each other in a circle: some constant would be read too early
 */
export function makeConstants(codes) {
  const modules = new Map([...codes].map(([path, code]) => [path, readModule(path, code)]));
  refuseCircles(modules);
  return new Map([...modules].map(([path, module]) => [path, rewrite(path, module, modules)]));
}

function readModule(path, code) {
  if (code.includes(IN) || code.includes(OUT)) throw new Error(`${path} uses a name of ours`);
  const file = ts.createSourceFile(path, code, ts.ScriptTarget.ESNext, false, ts.ScriptKind.JS);
  const changed = new Set();
  collectChanged(file, changed);
  const isLasting = ({ name }) => !changed.has(name.text);
  const { statements } = file;
  const constants = statements.flatMap(constantsOf).filter(isLasting);
  const functions = statements.filter((node) => ts.isFunctionDeclaration(node) && isLasting(node));
  const names = new Set(constants.map(({ name }) => name.text));
  const lasting = new Set([...names, ...functions.map(({ name }) => name.text)]);
  const exports = statements
    .filter(isOwnExport)
    .flatMap(({ exportClause }) => exportClause.elements);
  const offered = exports.filter((node) => lasting.has(ownName(node)));
  const offers = new Set(offered.map(({ name }) => name.text));
  return { file, constants, names, exports, offers };
}

/** @param loaded modules whose imports are known to be free of circles */
function refuseCircles(modules, paths = [...modules.keys()], loading = [], loaded = new Set()) {
  for (const path of paths) {
    if (loading.includes(path)) throw new Error(`circle: ${[...loading, path].join(" imports ")}`);
    if (loaded.has(path) || !modules.has(path)) continue;
    const { statements } = modules.get(path).file;
    const imports = statements.filter(({ moduleSpecifier }) => moduleSpecifier !== undefined);
    const next = imports.map((node) => importedPath(path, node));
    refuseCircles(modules, next, [...loading, path], loaded);
    loaded.add(path);
  }
}

/** Path of the file that a statement imports; meaningless for a package. */
function importedPath(path, { moduleSpecifier }) {
  return join(dirname(path), moduleSpecifier.text);
}

/** True for `export { a, b as c };`. */
function isOwnExport(node) {
  return ts.isExportDeclaration(node) && node.moduleSpecifier === undefined;
}

/** Returns the declaration of a statement that may be one of a constant. */
function constantsOf(node) {
  if (!ts.isVariableStatement(node)) return [];
  const { flags, declarations } = node.declarationList;
  // The bundler may leave `let` and `const` as they are.
  if (declarations.length > 1 || (flags & ts.NodeFlags.BlockScoped) !== 0) return [];
  const [declared] = declarations;
  return ts.isIdentifier(declared.name) && declared.initializer !== undefined ? [declared] : [];
}

/** Collects names that are assigned to anywhere in a file, whatever they mean there. */
function collectChanged(node, changed) {
  if (ts.isPostfixUnaryExpression(node) || ts.isPrefixUnaryExpression(node)) {
    const { operator } = node;
    const counts = [ts.SyntaxKind.PlusPlusToken, ts.SyntaxKind.MinusMinusToken];
    if (counts.includes(operator)) collectNames(node.operand, changed);
  } else if (ts.isBinaryExpression(node) && ts.isAssignmentOperator(node.operatorToken.kind)) {
    collectNames(node.left, changed);
  } else if (ts.isForInStatement(node) || ts.isForOfStatement(node)) {
    collectNames(node.initializer, changed);
  }
  ts.forEachChild(node, (child) => collectChanged(child, changed));
}

function collectNames(node, names) {
  if (ts.isIdentifier(node)) names.add(node.text);
  else if (!ts.isPropertyAccessExpression(node) && !ts.isElementAccessExpression(node)) {
    ts.forEachChild(node, (child) => collectNames(child, names));
  }
}

/** Name in the own file of what an element imports or exports. */
function ownName(node) {
  return (ts.isExportSpecifier(node) ? (node.propertyName ?? node.name) : node.name).text;
}

function rewrite(path, module, modules) {
  const { file, constants, names, exports } = module;
  const imports = copiedImports(path, module, modules);
  const edits = [];
  const insert = (at, text) => edits.push({ start: at, end: at, text });
  insert(0, imports.map(({ name: { text } }) => `const ${text}=${text}${IN};`).join(""));
  edits.push(...constants.flatMap((declared) => constantEdits(file, declared)));
  for (const { name, propertyName } of imports) {
    insert(name.end, propertyName === undefined ? ` as ${name.text}${IN}` : IN);
  }
  const copied = exports.filter((node) => names.has(ownName(node)));
  for (const { name, propertyName } of copied) {
    const { end } = propertyName ?? name;
    insert(end, propertyName === undefined ? `${OUT} as ${name.text}` : OUT);
  }
  const unique = [...new Set(copied.map(ownName))];
  const copies = unique.map((name) => `const ${name}${OUT}=${name};`).join("");
  const place = file.statements.find(isOwnExport);
  if (place !== undefined) insert(place.getStart(file), copies);
  return edit(file.text, edits);
}

/** Returns the imports of what never changes in its own file. */
function copiedImports(path, { file }, modules) {
  return file.statements.flatMap((node) => {
    if (!ts.isImportDeclaration(node)) return [];
    const from = modules.get(importedPath(path, node));
    const elements = from && (node.importClause?.namedBindings?.elements ?? []);
    return (elements ?? []).filter(({ name, propertyName = name }) => {
      return from.offers.has(propertyName.text);
    });
  });
}

/** `var name = value` becomes `const name=value`, of the same length. */
function constantEdits(file, { name }) {
  const start = name.getStart(file);
  const edits = [{ start: start - "var ".length, end: start, text: "const " }];
  const isSpaced = file.text.startsWith(" = ", name.end);
  if (isSpaced) edits.push({ start: name.end, end: name.end + " = ".length, text: "=" });
  return edits;
}

function edit(code, edits) {
  let text = "";
  let end = 0;
  for (const next of edits.sort((a, b) => a.start - b.start)) {
    text += code.slice(end, next.start) + next.text;
    end = next.end;
  }
  return text + code.slice(end);
}
