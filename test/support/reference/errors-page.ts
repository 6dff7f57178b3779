// docs/reference/errors.md: the tables of error codes.

import { ERROR_CODES } from "../../../runtime/base/error-codes.js";
import { code, table } from "./markdown.js";

const INTRODUCTION = `# Error codes

Every error of svc has a code. Programs compare codes; messages may change. The command line prints
the code, the message of the occurrence and the remedy:

\`\`\`
svc: error SVC3008: <message>. ${ERROR_CODES.SVC3008.fix}
\`\`\`

Errors of the library are \`SvcError\` objects with the same \`code\`. HTTP responses carry a status
and an error body instead: see [Errors](http-interface.md#errors).
`;

/** Titles of the areas, by the digit after \`SVC\`. */
const AREAS = new Map([
  ["1", "Build errors"],
  ["2", "Errors of the runtime and the library"],
  ["3", "Errors of commands and of systems"],
]);

export function errorsPage(): string {
  const codes = Object.entries(ERROR_CODES).sort(([a], [b]) => a.localeCompare(b));
  const sections = Array.from(AREAS, ([digit, title]) => {
    const rows = codes.filter(([name]) => name[3] === digit);
    const cells = rows.map(([name, { title, fix }]) => [code(name), title, fix]);
    return `## ${title}\n\n${table(["Code", "Error", "Remedy"], cells)}`;
  });
  return [INTRODUCTION, ...sections].join("\n");
}
