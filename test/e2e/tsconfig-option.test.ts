// `--tsconfig`: a file other than `tsconfig.json` resolves imports, for each command that accepts
// it.
// limit: 180 s
// takes 5 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { call, withDev } from "./support/dev.js";
import { get, serve, svc } from "./support/server.js";
import { GOOD_PLUGIN, TemporaryProject } from "./support/temporary-project.js";

const test = suite("--tsconfig");

const OPTION = ["--tsconfig", "config/tsconfig.build.json"] as const;
const paths = { "@shop/*": ["../shop/*"] };
const options = { module: "esnext", moduleResolution: "bundler", target: "es2022", paths };
const PLUGIN = GOOD_PLUGIN.replace("* 2", "* factor");
const FILES = {
  "tsconfig.json": '{ "compilerOptions": { "module": "nodenext" } }',
  "config/tsconfig.build.json": JSON.stringify({ compilerOptions: options }),
  "shop/factor.ts": "export const factor = 2;\n",
  "plugins/double.ts": `import { factor } from "@shop/factor";\n${PLUGIN}`,
};

/** Output of a command that must fail. */
async function failure(...words: string[]): Promise<string> {
  const ended = await svc(...words).catch((error: { stdout: string; stderr: string }) => error);
  assert.instance(ended, Error, "it has not failed");
  return ended.stdout + ended.stderr;
}

test("build and check resolve imports by it alone", async () => {
  const project = new TemporaryProject(FILES);
  const { folder } = project;
  try {
    for (const command of ["check", "build"]) {
      assert.match(await failure(command, folder), /double\.ts:1:\d+ - error TS2307/);
      await svc(command, folder, ...OPTION);
      const missing = await failure(command, folder, "--tsconfig", "none.json");
      assert.match(missing, "SVC1061: file not found: none.json");
    }
    const server = await serve(folder);
    try {
      const response = await get(server.port, "/svc/plugin/double?n=4");
      assert.is(response.json.response, 8);
    } finally {
      await server.end();
    }
    project.write("shop/factor.ts", 'export const factor = "two";\n');
    assert.match(await failure("check", folder, ...OPTION), /double\.ts:6:\d+ - error TS2363/);
  } finally {
    project.remove();
  }
});

test("dev applies it and watches the files behind its paths", () =>
  withDev(
    FILES,
    async (dev, project) => {
      const [, port] = await dev.until(/127\.0\.0\.1:(\d+) /);
      assert.is(await call(port!, "double?n=4"), 8);
      project.write("shop/factor.ts", "export const factor = 3;\n");
      await dev.until(/reloaded \S*shop\/factor\.ts in \d+ ms/);
      assert.is(await call(port!, "double?n=4"), 12);
    },
    ...OPTION,
  ));

test.run();
