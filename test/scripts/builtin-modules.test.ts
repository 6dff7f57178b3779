// Modules of Node in the modules of the package.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { withoutBuiltinImports } from "../../scripts/builtin-modules.mjs";

const test = suite("builtin modules");

test("takes them without imports, on the same lines", () => {
  const code = `import {
  readFileSync as read,
  writeFileSync
} from "fs";
import { join } from "node:path";
import * as zlib from "zlib";
import buffer from "buffer";
read();
`;
  assert.is(
    withoutBuiltinImports(code),
    `const {
  readFileSync: read,
  writeFileSync
} = process.getBuiltinModule("node:fs");
const { join } = process.getBuiltinModule("node:path");
const zlib = process.getBuiltinModule("node:zlib");
const buffer = process.getBuiltinModule("node:buffer");
read();
`,
  );
});

test("leaves other imports, exports and texts as they are", () => {
  const code = `import { a as b } from "./fs.js";
import { parse } from "yaml";
import "fs";
import process from "process";
import { default as path } from "path";
export { join } from "path";
const text = \`  import { join } from "path";\`;
`;
  assert.is(withoutBuiltinImports(code), code);
});

test.run();
