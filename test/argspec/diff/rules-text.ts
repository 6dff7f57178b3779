// The text of argspec/diff/RULES.md, generated from the table of rules.

import { RULES, type Severity } from "../../../argspec/diff/rules.js";

const HEADINGS: Readonly<Record<Severity, string>> = {
  breaking: "Breaking: a client that was made before can fail, or be answered wrongly",
  compatible: "Compatible: no former call fails, every answer is of the type that its client knows",
  docs: "Docs: nothing that a client sends or reads is different",
};

const INTRODUCTION = `# Rules of \`svc argspec diff\`

Two contracts are compared plugin by plugin, as clients can call them. What counts is a client that
was made from the former one and is not made anew: what it sends must still be taken and mean the
same, what it is answered must be of a type that it knows.

- **Parameters and bodies** may become wider, never narrower. Types are compared by the values that
  they admit, not by their names or spelling. Properties that an object does not name count as
  refused, though the server ignores them: what is ignored has no effect. A value must also travel
  as before: \`int\`, \`float\` and \`json\` write numbers alike, \`bytes\` take every text, and
  numbers are fit for where any text is.
- **Results** may become narrower, never wider. Clients ignore properties that their type does not
  name.
- Recursive types are compared as far as they go round. Whether one pattern matches all that
  another one does cannot be told: different patterns count as different. Where the comparison
  cannot tell, it reports the graver case.

A client should not be served a breaking change: give what is new another name, mark the former
\`@deprecated\`, and remove it when nobody calls it any more.
`;

export function rulesText(): string {
  const sections = Object.entries(HEADINGS).map(([severity, heading]) => {
    const rows = Object.entries(RULES)
      .filter(([, rule]) => rule.severity === severity)
      .map(([name, { says, because }]) => `| \`${name}\` | ${says} | ${because} |`);
    return `\n## ${heading}\n\n| Rule | It … | Why |\n|---|---|---|\n${rows.join("\n")}\n`;
  });
  return INTRODUCTION + sections.join("");
}
