// `svc argspec`: prints or writes the contract of a service in any of its formats.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { SvcError } from "../runtime/base/errors.js";
import { defineCommand, SOURCE_ARGUMENT } from "./framework/command.js";
import { choice, stringSetting } from "./framework/option.js";

export const argspec = defineCommand({
  name: "argspec",
  summary: "Prints the API contract as JSON Schema, OpenAPI or TypeScript.",
  arguments: [SOURCE_ARGUMENT],
  options: {
    plugin: {
      kind: stringSetting("<name>"),
      help: "one plugin; built-in plugins are allowed",
    },
    format: {
      kind: choice("schema", "openapi", "typescript", "record"),
      help: "output format (default: schema)",
    },
    "json-params": {
      kind: choice("content", "string"),
      help: "OpenAPI style of JSON query parameters (default: content)",
    },
    out: {
      kind: stringSetting("<file>"),
      help: "output file (default: standard output)",
    },
  },
  environment: false,
  async run([source = "."], values) {
    const { argspecText } = await import("./contract/argspec-text.js");
    const text = await argspecText(source, {
      plugin: values.plugin ?? null,
      format: values.format ?? "schema",
      jsonParams: values["json-params"] ?? null,
    });
    if (values.out === undefined) process.stdout.write(text);
    else writeOutput(values.out, text);
    return 0;
  },
});

/** @throws SvcError SVC3019 */
function writeOutput(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  } catch (error) {
    throw new SvcError("SVC3019", (error as Error).message, { cause: error });
  }
}
