// Finds the expressions in a module that refer to files next to it.

import { ts } from "ts-morph";

interface MetaMember {
  readonly start: number;
  readonly end: number;
  readonly member: "url" | "dirname" | "filename";
}

export class ModuleText {
  text: string;
  readonly #file: ts.SourceFile;

  constructor(path: string, text: string) {
    this.text = text;
    this.#file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  }

  /** Replaces text by a replacement of the same length. */
  replace(start: number, replacement: string): void {
    const end = start + replacement.length;
    this.text = this.text.slice(0, start) + replacement + this.text.slice(end);
  }

  /** Line number from 1, column from 0, and the line itself. */
  position(start: number): { line: number; column: number; lineText: string } {
    const { line, character } = this.#file.getLineAndCharacterOfPosition(start);
    const lineText = this.#file.text.split("\n")[line] ?? "";
    return { line: line + 1, column: character, lineText };
  }

  /** Returns all uses of `import.meta.url`, `import.meta.dirname` and `import.meta.filename`. */
  metaMembers(): MetaMember[] {
    return this.#nodes().flatMap((node) => {
      if (!isMetaMember(node)) return [];
      const member = node.name.text;
      if (member !== "url" && member !== "dirname" && member !== "filename") return [];
      return [{ start: node.getStart(), end: node.end, member }];
    });
  }

  /** Returns the files named by `new URL("./data.txt", import.meta.url)`. */
  assets(): { readonly name: string; readonly start: number }[] {
    return this.#nodes().flatMap((node) => {
      if (!ts.isNewExpression(node) || node.expression.getText() !== "URL") return [];
      const [name, base] = node.arguments ?? [];
      const isOwn = base !== undefined && isMetaMember(base) && base.name.text === "url";
      if (!isOwn || name === undefined || !ts.isStringLiteralLike(name)) return [];
      const isFile = /^\.{1,2}\//.test(name.text) && !name.text.endsWith("/");
      return isFile ? [{ name: name.text, start: name.getStart() }] : [];
    });
  }

  /** Returns the positions of file extensions in imports such as import(`./formats/${name}.js`). */
  scriptImports(): { readonly start: number; readonly folder: string }[] {
    return this.#nodes().flatMap((node) => {
      const isImport =
        ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
      const [argument] = isImport ? node.arguments : [];
      if (argument === undefined || !ts.isTemplateExpression(argument)) return [];
      const { head, templateSpans } = argument;
      const last = templateSpans.at(-1)!.literal;
      if (!/^\.{1,2}\//.test(head.text) || !last.text.endsWith(".js")) return [];
      const folder = head.text.slice(0, head.text.lastIndexOf("/"));
      return [{ start: last.end - "`".length - ".js".length, folder }];
    });
  }

  #nodes(): readonly ts.Node[] {
    const found: ts.Node[] = [];
    const visit = (node: ts.Node): void => {
      found.push(node);
      ts.forEachChild(node, visit);
    };
    visit(this.#file);
    return found;
  }
}

function isMetaMember(node: ts.Node): node is ts.PropertyAccessExpression {
  return (
    ts.isPropertyAccessExpression(node) &&
    ts.isMetaProperty(node.expression) &&
    node.expression.keywordToken === ts.SyntaxKind.ImportKeyword
  );
}
