// The system of examples/cities works as in its README, as eight processes.
// limit: 240 s
// builds examples
// takes 10 s

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { Document } from "./support/document.js";
import { buildProject } from "./support/server.js";
import { UpSystem } from "./support/system.js";

const COMMAND_LIMIT_MS = 60_000;

const test = suite("example system");
const BIN = join(packageRoot(), "bin", "svc.cjs");
const document = new Document(join(packageRoot(), "examples", "cities", "README.md"));
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

/** The alias of the document, with the descriptor of this run. */
const alias = (file: string) => `svc() {
  if [ "$1" = admin ]; then node "${BIN}" "$@" --descriptor "${file}"; else node "${BIN}" "$@"; fi
}
`;

/** Parts that differ in each run. */
function masked(printed: string): string {
  return printed.replace(/"exec_ms": ?[\d.]+/g, '"exec_ms": 0').trimEnd();
}

test("README.md: its commands print the documented output", async () => {
  assert.ok(document.up !== null && document.commands.length > 10);
  if (!hasCurl) return;
  const folder = join(packageRoot(), document.up!);
  await buildProject(folder);
  const system = new UpSystem(
    folder,
    JSON.parse(readFileSync(join(folder, ".svc/system.json"), "utf8")),
  );
  const findings: string[] = [];
  try {
    await system.up();
    for (const { line, command, output } of document.commands) {
      const script = alias(system.file) + command.replaceAll("127.0.0.1", system.host);
      const child = spawn("bash", ["-c", script], {
        cwd: folder,
        stdio: ["ignore", "pipe", "pipe"],
        // Some wait for events: if one never comes, the system is stopped all the same.
        ...{ timeout: COMMAND_LIMIT_MS, killSignal: "SIGKILL" },
      });
      const [out, err] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "close"),
      ]);
      const got = masked(out.replaceAll(system.host, "127.0.0.1"));
      if (got !== masked(output)) findings.push(`${line}: prints ${got} ${err}`);
    }
  } finally {
    await system.close();
  }
  assert.is(findings.join("\n"), "");
});

test.run();
