// Files of a generated client package: package.json and README.md. The service's name and the
// authors' texts are untrusted: they must become neither markup nor an invalid npm name.

import type { ArgspecService } from "../argspec.js";
import { commentLine } from "./doc-comment.js";
import { sampleCall } from "./examples.js";
import type { Method } from "./section.js";

export function packageName({ name }: ArgspecService): string {
  const words = (name ?? "").toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const trimmed = words.replace(/^-|-$/g, "").slice(0, 200);
  return trimmed === "" ? "svc-client" : `${trimmed}-client`;
}

/** The service's version if npm accepts it. */
export function packageVersion({ version = "" }: ArgspecService): string {
  return /^\d+\.\d+\.\d+(?:-[\w.-]+)?$/.test(version) ? version : "0.0.0";
}

export function packageJson(name: string, version: string): string {
  const manifest = {
    name,
    version,
    private: true,
    type: "module",
    sideEffects: false,
    engines: { node: ">=18" },
    main: "./index.cjs",
    module: "./index.js",
    types: "./index.d.ts",
    exports: {
      ".": {
        import: { types: "./index.d.ts", default: "./index.js" },
        require: { types: "./index.d.cts", default: "./index.cjs" },
      },
      "./package.json": "./package.json",
    },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

export function readme(name: string, hash: string, methods: readonly Method[]): string {
  const first = methods[0];
  const call =
    first === undefined
      ? "client.services.time()"
      : sampleCall(first.operation, `client.${first.name}`);
  const sample =
    first?.form === "stream"
      ? `for await (const piece of ${call}) console.log(piece);`
      : `console.log(await ${call});`;
  return `# ${name}

A generated client: \`svc client\` writes it anew, so changes here are lost. It needs nothing else
and runs in Node 18 or later, in pages and in workers.

\`\`\`ts
import { Client, SvcError } from "${name}";

const client = new Client({ baseUrl: "http://127.0.0.1:9000" });
try {
  ${sample}
} catch (error) {
  if (error instanceof SvcError) console.error(error.kind, error.status, error.message);
}
\`\`\`

Each method takes its parameters, then options: \`signal\`, \`timeoutMs\`, \`partial\`, \`key\`,
\`headers\`, \`retries\`, \`idempotent\`. A client of \`client.with({ ... })\` has them set.
A method with \`Raw\` behind its name gives the whole envelope. \`client.builtin\` and
\`client.services\` call what every server has. \`require\` works as well as \`import\`.

| Method | Does |
|---|---|
${methods.map(row).join("")}
Made from the contract \`${hash}\`.
`;
}

function row({ name, operation }: Method): string {
  const notes = [operation.deprecated && "deprecated", operation.readonly && "readonly"];
  const added = notes.filter((note) => note !== false).join(", ");
  return `| \`${name}\` | ${cell(operation.summary)}${added && ` (${added})`} |\n`;
}

/** Returns plain text for a table cell. */
function cell(text: string): string {
  return commentLine(text).replace(/[\\|`*_~<>[\]&!]/g, "\\$&");
}
