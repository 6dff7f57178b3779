// docs/reference/graph-api.md: signatures and first sentences of the classes of graphs.

import { ts } from "ts-morph";
import { sourceFiles } from "../source-files.js";
import { code, table } from "./markdown.js";

const INTRODUCTION = `# Graph API

This page lists the methods of graphs for plugins and programs, with the errors that they throw. See
[Using graphs](../guides/using-graphs.md) for a guide, [Queries](queries.md) for the arguments of
queries, and [Errors](errors.md) for the codes of errors.

Wherever a method takes an id, it also takes the internalid: 32 hex digits, the same in every
process. \`VertexName\` is an id or an open vertex.
`;

/** Sections: a title and the class that it lists. */
const SECTIONS: readonly (readonly [title: string, file: string, name: string])[] = [
  ["Graph: changes and vertices", "runtime/graph/api/graph.ts", "Graph"],
  ["Graph: queries", "runtime/graph/api/graph-queries.ts", "GraphQueries"],
  ["Graph: expressions", "runtime/graph/api/graph-expressions.ts", "GraphExpressions"],
  ["Graph: management", "runtime/graph/api/graph-management.ts", "GraphManagement"],
  ["Vertex: attributes", "runtime/graph/api/vertex-attributes.ts", "VertexAttributes"],
  ["Vertex: queries", "runtime/graph/api/vertex-queries.ts", "VertexQueries"],
  ["Vertex: changes", "runtime/graph/api/vertex.ts", "Vertex"],
  ["Similarity of a graph", "runtime/graph/api/graph-similarity.ts", "GraphSimilarity"],
  ["Comparing vectors", "runtime/graph/vectors/similarity.ts", "Similarity"],
  ["Vector", "runtime/graph/vectors/vector.ts", "Vector"],
  ["Memory of expressions", "runtime/graph/evaluate/memory.ts", "Memory"],
];
const HIDDEN = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;

export function graphApiPage(): string {
  const files = new Map(sourceFiles().map(({ path, text }) => [path, text]));
  const sections = SECTIONS.map(([title, file, name]) => {
    const tree = ts.createSourceFile(file, files.get(file)!, ts.ScriptTarget.Latest, true);
    const rows = listMembers(tree, name).map(({ signature, summary, throws }) => {
      return [code(signature), summary, throws];
    });
    return `## ${title}\n\n${table(["Member", "Description", "Throws"], rows)}`;
  });
  return [INTRODUCTION, ...sections].join("\n");
}

interface Member {
  readonly signature: string;
  readonly summary: string;
  readonly throws: string;
}

function listMembers(tree: ts.SourceFile, name: string): Member[] {
  const declaration = tree.statements.find((statement): statement is ts.ClassDeclaration => {
    return ts.isClassDeclaration(statement) && statement.name?.text === name;
  });
  if (declaration === undefined) throw new Error(`${tree.fileName} has no class ${name}`);
  const overloaded = new Set(
    declaration.members.filter(isOverload).map((member) => member.name.getText()),
  );
  const writable = new Set(
    declaration.members.filter(ts.isSetAccessor).map(({ name }) => name.getText()),
  );
  const rows: (Member & { readonly name: string })[] = [];
  for (const member of declaration.members) {
    const isShown = isMember(member) && !(ts.getCombinedModifierFlags(member) & HIDDEN);
    if (!isShown || !ts.isIdentifier(member.name) || ts.isSetAccessor(member)) continue;
    const { text } = member.name;
    // The implementation of overloads is not a signature.
    if (overloaded.has(text) && !isOverload(member)) continue;
    const docs = documentation(member);
    const last = rows.at(-1);
    // The documentation of overloads precedes the first one.
    const isSame = docs.summary === "" && last?.name === text;
    const { summary, throws } = isSame ? last : docs;
    const note = writable.has(text) ? " Writable." : "";
    rows.push({ name: text, signature: formatSignature(member), summary: summary + note, throws });
  }
  return rows;
}

type Shown = ts.MethodDeclaration | ts.AccessorDeclaration | ts.PropertyDeclaration;

function isMember(member: ts.ClassElement): member is Shown {
  return (
    ts.isMethodDeclaration(member) || ts.isAccessor(member) || ts.isPropertyDeclaration(member)
  );
}

function isOverload(member: ts.ClassElement): member is ts.MethodDeclaration {
  return ts.isMethodDeclaration(member) && member.body === undefined;
}

function formatSignature(member: Shown): string {
  const name = member.name.getText();
  const type = member.type === undefined ? "" : `: ${member.type.getText()}`;
  if (ts.isPropertyDeclaration(member) || ts.isGetAccessor(member)) return `${name}${type}`;
  const parameters = member.parameters
    // Further arguments are rejected.
    .filter(({ name }) => name.getText() !== "further")
    .map((parameter) => parameter.getText())
    .join(", ");
  const generics = member.typeParameters?.map((parameter) => parameter.getText()).join(", ") ?? "";
  return `${name}${generics === "" ? "" : `<${generics}>`}(${parameters})${type}`;
}

/** First sentence and errors of a documentation comment. */
function documentation(member: Shown): Pick<Member, "summary" | "throws"> {
  const [comment] = ts.getJSDocCommentsAndTags(member).filter(ts.isJSDoc).slice(-1);
  const text = ts.getTextOfJSDocComment(comment?.comment) ?? "";
  const [summary = ""] = /^[\s\S]*?(?:\.(?=\s|$)|$)/.exec(text) ?? [];
  const throws = (comment?.tags ?? [])
    .filter(({ tagName }) => tagName.text === "throws")
    .map((tag) => ts.getTextOfJSDocComment(tag.comment) ?? "");
  return { summary: summary.replaceAll("\n", " "), throws: throws.join("; ") };
}
