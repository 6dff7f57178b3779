// docs/reference/metrics.md: the metric families in the code that exposes them.

import { ts } from "ts-morph";
import { sourceFiles } from "../source-files.js";
import { code, table } from "./markdown.js";

const FOLDER = "runtime/builtin/services/prometheus/";
const TYPES = new Set(["counter", "gauge", "histogram"]);

const INTRODUCTION = `# Metrics

\`GET /metrics\` on the admin port returns all metrics in the text format of Prometheus. Metrics of
requests are those of the main port. Counters start at 0 with the process; \`ADMIN_ResetMetrics\`
does not reset them. svc omits a metric that has no values, such as those of back-ends on an engine.

A histogram \`<name>\` has the series \`<name>_bucket\` with the label \`le\`, \`<name>_sum\` and
\`<name>_count\`.
`;

export function metricsPage(): string {
  const rows = metricFiles().flatMap((path) => families(sourceTree(path)));
  const cells = rows.map(({ name, type, help, labels }) => {
    return [code(name), type, labels.map(code).join(", "), help];
  });
  return `${INTRODUCTION}\n${table(["Metric", "Type", "Labels", "Description"], cells)}`;
}

/** In the order of the response: that of the calls of `graphMetrics` and others. */
function metricFiles(): string[] {
  const path = `${FOLDER}prometheus.ts`;
  const calls = sourceText(path).matchAll(/yield\* (\w+)Metrics\(/g);
  const files = [...calls].map(([, name]) => `${FOLDER}${name}-metrics.ts`);
  const existing = new Set(sourceFiles().map((source) => source.path));
  return [path, ...files.filter((file) => existing.has(file))];
}

function sourceText(path: string): string {
  return sourceFiles().find((source) => source.path === path)!.text;
}

function sourceTree(path: string): ts.SourceFile {
  return ts.createSourceFile(path, sourceText(path), ts.ScriptTarget.Latest, true);
}

interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** Every call like `gauge(name, help, samples)`, in source order. */
function families(tree: ts.SourceFile): Family[] {
  const familyList: Family[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && TYPES.has(node.expression.getText())) {
      const [name, help, samples] = node.arguments;
      if (name === undefined || help === undefined || samples === undefined) return;
      if (!ts.isStringLiteral(name) || !ts.isStringLiteral(help)) {
        throw new Error(`${node.getText()}: name and help are no literals`);
      }
      const labels = [...labelsIn(samples, new Set())];
      familyList.push({
        name: name.text,
        type: node.expression.getText(),
        help: help.text,
        labels,
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return familyList;
}

/**
 * Keys of the objects in an expression, and in expressions that it refers to within the same file.
 */
function labelsIn(node: ts.Node, visited: Set<ts.Node>): Set<string> {
  const labels = new Set<string>();
  const visit = (part: ts.Node): void => {
    if (visited.has(part)) return;
    visited.add(part);
    if (ts.isObjectLiteralExpression(part)) {
      for (const { name } of part.properties) if (name !== undefined) labels.add(name.getText());
    }
    if (ts.isIdentifier(part)) findDeclarations(part).forEach(visit);
    ts.forEachChild(part, visit);
  };
  visit(node);
  return labels;
}

/** Functions of the file, and variables in scope, that the name refers to. */
function findDeclarations(name: ts.Identifier): ts.Node[] {
  const nodes: ts.Node[] = [];
  for (let scope: ts.Node = name; scope !== undefined; scope = scope.parent) {
    if (!ts.isBlock(scope) && !ts.isSourceFile(scope)) continue;
    for (const statement of scope.statements) {
      if (ts.isFunctionDeclaration(statement) && statement.name?.text === name.text) {
        nodes.push(statement);
      }
      if (!ts.isVariableStatement(statement)) continue;
      const { declarations } = statement.declarationList;
      nodes.push(...declarations.filter((declared) => declared.name.getText() === name.text));
    }
  }
  return nodes;
}
