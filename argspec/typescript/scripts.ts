// The code of a client, as ES module and as CommonJS. It only lists the operations; the shared
// client runtime does the work. Prints names of the name table, and everything else as JSON.

import { clientOperation } from "../client-operation.js";
import type { Method, Section } from "./section.js";

/** Operations by the client's object that offers them. */
export type Sections<T> = Readonly<Record<"plugins" | "builtin" | "services", T>>;

/** Differences between the module kinds. */
const FORMS = {
  module: {
    head: `import { Connection } from "./runtime.js";

export { SvcError } from "./runtime.js";
`,
    exported: "export ",
    tail: "",
  },
  commonjs: {
    head: `"use strict";\n\nconst { Connection, SvcError } = require("./runtime.cjs");\n`,
    exported: "",
    tail: "\nexports.Client = Client;\nexports.SvcError = SvcError;\n",
  },
};

export function clientScript(
  { plugins, builtin, services }: Sections<Section>,
  header: string,
  hash: string,
  form: keyof typeof FORMS,
): string {
  const { head, exported, tail } = FORMS[form];
  return `${header}
${head}
const HASH = ${JSON.stringify(hash)};
${constants("plugin", plugins)}
${exported}class Client {
  #connection;

  constructor(options) {
    const connection = options instanceof Connection ? options : new Connection(options, HASH);
    this.#connection = connection;
    this.builtin = new Builtin(connection);
    this.services = new Services(connection);
  }

  with(options) {
    return new Client(this.#connection.with(options));
  }
${methods("plugin", plugins)}}
${group("Builtin", "builtin", builtin)}${group("Services", "service", services)}${tail}`;
}

/** Our names contain no `$`, so these collide with neither them nor the classes. */
function constants(kind: string, { methods, plans }: Section): string {
  const lines = methods.map(({ name, operation }) => {
    const ownPlans = plans.byOperation.get(operation) ?? {};
    const members = literal({ ...clientOperation(operation), ...ownPlans });
    const isShared = plans.shared.length > 0 && Object.keys(ownPlans).length > 0;
    const value = isShared ? `${members.slice(0, -1)},"plans":${kind}$$plans}` : members;
    return `const ${kind}$${name} = ${value};\n`;
  });
  if (plans.shared.length > 0) lines.unshift(`const ${kind}$$plans = ${literal(plans.shared)};\n`);
  return lines.length === 0 ? "" : `\n${lines.join("")}`;
}

/** In a literal, the key `__proto__` would set the prototype. */
function literal(value: object): string {
  return JSON.stringify(value).replaceAll('"__proto__":', '["__proto__"]:');
}

function group(name: string, kind: string, section: Section): string {
  return `${constants(kind, section)}
class ${name} {
  #connection;

  constructor(connection) {
    this.#connection = connection;
  }
${methods(kind, section)}}
`;
}

function methods(kind: string, section: Section): string {
  return section.methods.map((method) => methodCode(kind, method)).join("");
}

const CALLS = { value: "call", stream: "stream", http: "callHttp" } as const;

/** A function with a member for all pages. */
function pageCode(kind: string, name: string): string {
  return `
  get ${name}() {
    return this.#connection.pages(${kind}$${name});
  }
`;
}

function methodCode(kind: string, { name, rawName, form }: Method): string {
  const code = (method: string, call: string) => `
  ${method}(params, options) {
    return this.#connection.${call}(${kind}$${name}, params, options);
  }
`;
  const formCode = form === "page" ? pageCode(kind, name) : code(name, CALLS[form]);
  return formCode + (rawName === null ? "" : code(rawName, "callRaw"));
}
