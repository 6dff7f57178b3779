// The text of argspec/diff/RULES.md, generated from the table of rules.

import { RULES, type Severity } from "../../../argspec/diff/rules.js";

const HEADINGS: Readonly<Record<Severity, string>> = {
  breaking: "Breaking: an existing client can fail, or get a wrong response",
  compatible: "Compatible: no existing call fails, every response has a type that its client knows",
  docs: "Docs: requests and responses of clients are unchanged",
};

const INTRODUCTION = `# Rules of \`svc argspec diff\`

Two contracts are compared plugin by plugin, as clients can call them. The measure is a client that
was generated from the previous contract. The server must still accept its requests with the same
meaning, and must respond with types that the client knows.

- **Parameters and bodies** may become wider, never narrower. Types are compared by the values that
  they admit, not by their names or spelling. Undeclared properties of an object count as rejected,
  although the server ignores them: an ignored property has no effect. A value must also have the
  same encoding: \`int\`, \`float\` and \`json\` encode numbers alike, \`bytes\` accept every text,
  and numbers are valid wherever any text is.
- **Results** may become narrower, never wider. Clients ignore properties that their type does not
  name.
- Recursive types are compared as far as their cycles. Whether one pattern matches everything that
  another one does is undecided: different patterns count as different. Where the comparison is
  undecided, it reports the more severe case.

Do not serve breaking changes to clients: give the new plugin another name, mark the previous one
\`@deprecated\`, and remove it when no client calls it.
`;

export function rulesText(): string {
  const sections = Object.entries(HEADINGS).map(([severity, heading]) => {
    const rows = Object.entries(RULES)
      .filter(([, rule]) => rule.severity === severity)
      .map(([name, { predicate, reason }]) => `| \`${name}\` | ${predicate} | ${reason} |`);
    return `\n## ${heading}\n\n| Rule | It … | Why |\n|---|---|---|\n${rows.join("\n")}\n`;
  });
  return INTRODUCTION + sections.join("");
}
