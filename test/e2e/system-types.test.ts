// `defineSystem` in an editor: a valid system compiles, and each error is reported at its position.
// limit: 60 s

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";

const test = suite("system types");
const ROOT = packageRoot();

/** Each marked line must not compile, and no other one. */
const PROGRAM = `import { defineSystem } from "svc-server/system";
export const right = defineSystem({
  name: "Cities",
  graphs: ["cities"],
  common: { graph: "cities", host: "10.0.0.7" },
  instances: {
    A1: { type: "admin", hport: 9000 },
    TD: { type: "dispatch", hport: 9990 },
    "B0.1": { type: "builder", hport: 9100, tport: 10100, durable: true },
    "S1.1": { type: "search", hport: 9110, tport: 10110, "s-in": true },
    "S2.1": { type: "search", hport: 9120, tport: 10120 },
  },
  topology: {
    transaction: { "B0.1": ["S1.1", ["S2.1", null]], A1: {} },
    dispatch: {
      TD: [
        { channels: 32, priority: 1, partitions: ["S1.1"] },
        { channels: 2, priority: 20, primary: true, partitions: ["B0.1"] },
        { priority: -1, partitions: [] },
      ],
      A1: { "S1.1": { priority: 2 } },
    },
  },
});
const instances = { TD: { type: "dispatch", hport: 9990 }, S1: { hport: 9100 } } as const;
defineSystem({ instances: { S1: { type: "serch", hport: 9100 } } }); // wrong
defineSystem({ instances: { S1: { hport: "9100" } } }); // wrong
defineSystem({ instances: { S1: { hprot: 9100 } } }); // wrong
defineSystem({ instances: { S1: { hport: 9100, durable: "yes" } } }); // wrong
defineSystem({ instanses: {} }); // wrong
defineSystem({ instances, topology: { dispatch: { TD: [{ partitions: ["S9"] }] } } }); // wrong
defineSystem({ instances, topology: { dispatch: { T9: [{ partitions: ["S1"] }] } } }); // wrong
defineSystem({ instances, topology: { dispatch: { TD: { S9: {} } } } }); // wrong
defineSystem({ instances, topology: { dispatch: { TD: [{ channels: 3 }] } } }); // wrong
defineSystem({ instances, topology: { transaction: { S9: [] } } }); // wrong
defineSystem({ instances, topology: { transaction: { TD: ["S9"] } } }); // wrong
defineSystem({ instances, topology: { transaction: [["TD", ["S9"]]] } }); // wrong
defineSystem({ instances, topology: { transactions: {} } }); // wrong
defineSystem({ instances, topology: { dispatch: { TD: [{ partitions: ["S1"] }] } } });
`;

test("reject exactly the marked lines", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-system-types-"));
  try {
    const compilerOptions = {
      ...{ target: "es2022", module: "nodenext", types: [], strict: true, noEmit: true },
      paths: { "svc-server/system": [join(ROOT, "dist/types/runtime/system/descriptor.d.ts")] },
    };
    symlinkSync(join(ROOT, "package.json"), join(folder, "package.json"));
    writeFileSync(join(folder, "svc.system.ts"), PROGRAM);
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["svc.system.ts"] }),
    );
    const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
    const errorLines = new Set(
      [...stdout.matchAll(/svc\.system\.ts\((\d+),/g)].map(([, line]) => Number(line)),
    );
    const lines = PROGRAM.split("\n");
    const wrongLines = lines.flatMap((line, index) =>
      line.endsWith("// wrong") ? [index + 1] : [],
    );
    assert.ok(wrongLines.length > 10);
    assert.equal(
      [...errorLines].sort((a, b) => a - b),
      wrongLines,
      stdout,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.run();
