// Files of the program that plugins are read from are parsed as seldom as possible.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ReaderProgram } from "../../../compiler/read/reader-program.js";
import { TemporaryProject } from "../projects.js";

const test = suite("reader program");
const INSTALLED = "node_modules/units/index.d.ts";
const OWN = "plugins/own.ts";

test("parses installed declarations once in a process, until they change", () => {
  const project = new TemporaryProject({
    "tsconfig.json": '{ "compilerOptions": { "module": "nodenext", "target": "es2022" } }',
    "node_modules/units/package.json": '{ "name": "units", "types": "index.d.ts" }',
    [INSTALLED]: "export type Meters = number;",
    [OWN]: 'import type { Meters } from "units";\nexport const one: Meters = 1;\n',
  });
  try {
    const parsed = () => {
      const program = new ReaderProgram(project.dir, "tsconfig.json").open([project.path(OWN)]);
      return [INSTALLED, OWN].map((path) => program.getSourceFile(project.path(path))!);
    };
    const [installed, local] = parsed();
    const [sameInstalled, sameOwn] = parsed();
    assert.ok(sameInstalled === installed);
    assert.ok(sameOwn !== local);
    project.write(INSTALLED, "export type Meters = bigint;\n");
    const [changed] = parsed();
    assert.match(changed!.text, "bigint");
  } finally {
    project.remove();
  }
});

test.run();
