// The installed command: requirements, output, and error messages.
// limit: 120 s
// takes 25 s

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageInfo, packageRoot } from "../../runtime/base/package-info.js";
import { buildProject, serve, svcHere } from "./support/server.js";
import { until } from "./support/system.js";
import { BAD_PLUGIN, GOOD_PLUGIN, TemporaryProject } from "./support/temporary-project.js";

const test = suite("svc");
const SVC = join(packageRoot(), "bin", "svc.cjs");
/** A built project that no test changes. */
const built = new TemporaryProject();
let scratch = "";

test.before(async () => {
  scratch = mkdtempSync(join(tmpdir(), "svc-cli-"));
  await buildProject(built.folder);
});
test.after(() => {
  built.remove();
  rmSync(scratch, { recursive: true });
});

/** Runs `svc` to completion. */
function svc(words: readonly string[], nodeOptions: readonly string[] = [], script = SVC) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...nodeOptions, script, ...words],
    { encoding: "utf8" },
  );
  return { status, stdout, stderr };
}

/** Asserts that a run failed with an error of this beginning. */
function expectError(run: { status: number | null; stderr: string }, beginning: string): void {
  assert.match(run.stderr, `svc: error ${beginning}`, JSON.stringify(run));
  assert.is(run.status, 1);
}

/** Runs a check against a temporary project. */
async function inProject(
  check: (project: TemporaryProject) => unknown,
  files?: Readonly<Record<string, string>>,
) {
  const project = new TemporaryProject(files);
  try {
    await check(project);
  } finally {
    project.remove();
  }
}

test("runs from dist", () => {
  assert.is(svc(["--version"]).stdout, `${packageInfo().version}\n`);
  const { status, stderr } = svc(["serv"]);
  assert.match(stderr, "SVC3001");
  assert.is(status, 2);
});

test("names the required version on a Node that is too old", () => {
  const pretend = join(scratch, "pretend.cjs");
  const versions = 'Object.defineProperty(process, "versions", { value: { node: "20.18.9" } });';
  writeFileSync(pretend, versions);
  const { status, stderr } = svc(["--version"], ["--require", pretend]);
  assert.is(
    stderr,
    "svc: error SVC3010: running on Node.js 20.18.9. install Node.js 20.19 or later\n",
  );
  assert.is(status, 1);
});

test("names the command to run when the package was not built", () => {
  const copy = join(scratch, "package");
  mkdirSync(copy);
  cpSync(join(packageRoot(), "bin"), join(copy, "bin"), { recursive: true });
  cpSync(join(packageRoot(), "package.json"), join(copy, "package.json"));
  const { status, stderr } = svc([], [], join(copy, "bin", "svc.cjs"));
  assert.match(stderr, "svc: error SVC3011: ");
  assert.match(stderr, "npm run build");
  assert.is(status, 1);
});

test("build prints one line, and reports an up-to-date build", () =>
  inProject(({ folder }) => {
    const first = svc(["build", folder]);
    assert.match(first.stdout, /^svc: built, 1 plugin in \d+ ms \(.*\)\n$/);
    assert.is(first.stderr, "");
    assert.is(first.status, 0);
    assert.match(svc(["build", folder]).stdout, /^svc: current, 1 plugin in /);
  }));

test("build reports errors with their position and writes nothing", () =>
  inProject(
    async ({ folder }) => {
      const { code, stdout, stderr } = await svcHere("build", folder);
      assert.match(stderr, "plugins/double.ts:5:3 - error TS2322");
      assert.match(stderr, 'return "no number";');
      assert.match(stderr, "1 error\n");
      assert.is(stdout, "");
      assert.is(code, 1);
      assert.not(readdirSync(folder).includes(".svc"));
    },
    { "plugins/double.ts": BAD_PLUGIN },
  ));

test("build rejects an example that the plugin would reject, at its position", () =>
  inProject(
    async ({ folder }) => {
      const { code, stderr } = await svcHere("build", folder);
      const frame = [
        "plugins/double.ts:7:22 - error SVC1047: `n` must be an integer, not `two`",
        "",
        "7 |  * @example double?n=two",
        "  |                      ^^^",
        "  = write instead: `n: int`",
      ];
      assert.match(stderr, frame.join("\n"));
      assert.match(stderr, "1 error\n");
      assert.is(code, 1);
    },
    {
      "plugins/double.ts": GOOD_PLUGIN.replace(
        "/** Doubles. @plugin */",
        "/**\n * Doubles.\n *\n * @plugin\n * @example double?n=two\n */",
      ),
    },
  ));

test("build and check print diagnostics as JSON for tools", () =>
  inProject(
    async ({ folder }) => {
      for (const command of ["build", "check"]) {
        const { code, stdout } = await svcHere(command, folder, "--json");
        const [finding] = JSON.parse(stdout);
        assert.is(finding.code, "TS2322");
        assert.is(finding.position.line, 5);
        assert.is(code, 1);
      }
    },
    { "plugins/double.ts": BAD_PLUGIN },
  ));

test("build fails with one line for errors after reading a configuration", () =>
  inProject((project) => {
    // At any time: there is no output of the bundler's process either.
    const repeat = (statement: string) =>
      `for (let ms = 0; ms < 800; ms += 20) setTimeout(() => { ${statement} }, ms);`;
    for (const [args, output] of [
      ["process.exit(0)", "called process.exit(0); throw an error instead"],
      ['throw new Error("boom")', "failed after it was loaded: boom"],
    ] as const) {
      const config = `declare const process: any, setTimeout: any;\n${repeat(args)}`;
      project.write("svc.config.ts", `${config}\nexport default {};\n`);
      const { status, stdout, stderr } = svc(["build", project.folder]);
      const fix = "make the file run and export a configuration as its default export";
      assert.is(stderr, `svc: error SVC1101: svc.config.ts ${output}. ${fix}\n`);
      assert.equal([status, stdout], [1, ""]);
      assert.not(readdirSync(project.folder).some((name) => /\.mjs$|^\.svc$/.test(name)));
    }
  }));

test("build reports rejections and exceptions of a configuration as such", () =>
  inProject((project) => {
    const wait = "await new Promise((done) => setTimeout(done, 100));";
    for (const [args, pattern] of [
      ["Promise.reject(undefined);", /failed after it was loaded: .*the reason "undefined"/],
      ["setTimeout(() => { throw null; }, 0);", /failed after it was loaded: null was thrown/],
    ] as const) {
      const text = `declare const setTimeout: any;\n${args}\n${wait}\nexport default {};\n`;
      project.write("svc.config.ts", text);
      const { status, stderr } = svc(["build", project.folder]);
      assert.match(stderr, pattern);
      assert.is(stderr.trim().split("\n").length, 1, stderr);
      assert.is(status, 1);
    }
  }));

test("build ends despite timers of a configuration", () =>
  inProject((project) => {
    const config = "declare const setInterval: any;\nsetInterval(() => {}, 1000);";
    project.write("svc.config.ts", `${config}\nexport default {};\n`);
    for (const word of ["check", "build"]) {
      const { status, stderr } = svc([word, project.folder]);
      assert.equal([status, stderr], [0, ""], word);
    }
  }));

test("check writes nothing and accepts a valid project", () =>
  inProject(async ({ folder }) => {
    const { code, stdout } = await svcHere("check", folder);
    assert.match(stdout, "svc: no errors, 1 plugin in ");
    assert.is(code, 0);
    assert.not(readdirSync(folder).includes(".svc"));
  }));

test("build --check fails for a missing or stale build", () =>
  inProject(async (project) => {
    const { folder } = project;
    assert.match((await svcHere("build", folder, "--check")).stderr, "svc: error SVC3007: ");
    await buildProject(folder);
    assert.is((await svcHere("build", folder, "--check")).code, 0);
    project.write("plugins/double.ts", GOOD_PLUGIN.replaceAll("double", "twice"));
    const { code, stderr } = await svcHere("build", folder, "--check");
    assert.match(stderr, /\.svc\/ is out of date: .*\broutes\.json/);
    assert.is(code, 1);
  }));

test("serve prints its address, its plugins and a command that works", async () => {
  const server = await serve(built.folder, "--executors", "2", "--service-out");
  try {
    const { port } = server;
    const address = `http://127.0.0.1:${port}`;
    const output = server.output();
    assert.match(
      output,
      `svc: serving temporary on ${address} (admin http://127.0.0.1:${port + 1})`,
    );
    assert.match(output, /transport (net|uws) \(.+\), 2 executors/);
    assert.match(output, "Service-OUT");
    assert.match(output, "/svc/plugin/double  Doubles.");
    const url = /curl "(.*)"/.exec(output)![1]!;
    assert.is(url, `${address}/svc/plugin/double`);
    const response = await fetch(url, {
      headers: { "X-SVC-Bypass-SOUT": "1", connection: "close" },
    });
    assert.is(((await response.json()) as { response: number }).response, 42);
  } finally {
    assert.is(await server.stop(), 0);
  }
});

test("serve prints a command with a valid argument", () =>
  inProject(
    async ({ folder }) => {
      await buildProject(folder);
      const server = await serve(folder, "--ip", "0.0.0.0");
      try {
        assert.match(server.output(), " and on all other addresses of this machine\n");
        const url = /curl "(.*)"/.exec(server.output())![1]!;
        assert.match(url, /\/pick\?mode=(a%20b|exact)$/);
        const response = await fetch(url, { headers: { connection: "close" } });
        assert.is(response.status, 200);
        await response.text();
      } finally {
        assert.is(await server.stop(), 0);
      }
    },
    {
      "plugins/pick.ts":
        "/** @plugin */\n" +
        'export function pick(request: unknown, mode: "a b" | "exact") {\n  return mode;\n}\n',
    },
  ));

test("serve prints a command that fits the declared type", () =>
  inProject(async (project) => {
    const source = GOOD_PLUGIN.replace("n: int = 21", "at: { n: int; on: boolean }");
    project.write("plugins/double.ts", source.replace("n * 2", "at.n * 2"));
    await buildProject(project.folder);
    const server = await serve(project.folder, "--ip", "127.0.0.1");
    try {
      assert.not.match(server.output(), "all addresses");
      const url = /curl "(.*)"/.exec(server.output())![1]!;
      const response = await fetch(url, { headers: { connection: "close" } });
      assert.is(((await response.json()) as { response: number }).response, 2);
    } finally {
      await server.end();
    }
  }));

test("serve prints a command with a body where needed, and the query of an example", () =>
  inProject(
    async ({ folder }) => {
      await buildProject(folder);
      const server = await serve(folder, "--ip", "127.0.0.1");
      try {
        const [, url, body] = /curl "(.*)" -d '(.*)'/.exec(server.output())!;
        assert.match(url!, /\?key=a-7&at=%5B1%5D$/);
        const headers = { connection: "close" };
        const response = await fetch(url!, { method: "POST", body: body!, headers });
        assert.is(((await response.json()) as { response: string }).response, "a-7 text 1");
      } finally {
        await server.end();
      }
    },
    {
      "plugins/store.ts": `import type { int, PluginRequest, str } from "svc-server";
/** @plugin @example ?key=a-7&at=[1] */
export function store(
  _request: PluginRequest, key: \`a-\${int}\`, content: { name: str }, at: int[] = [], n: int = 1,
) {
  return [key, content.name, n].join(" ");
}
/** Requires less, but has no example. @plugin */
export function anything(_request: PluginRequest) {}
`,
    },
  ));

test("serve warns of a stale build, names the file and serves the build", () =>
  inProject(async (project) => {
    await buildProject(project.folder);
    project.write("plugins/double.ts", BAD_PLUGIN);
    const server = await serve(project.folder);
    try {
      assert.match(server.log(), "svc: warning: serving a stale build: plugins/double.ts ");
      assert.match(server.log(), "`svc build ");
      project.write("plugins/double.ts", GOOD_PLUGIN);
      project.write("plugins/triple.ts", GOOD_PLUGIN.replace("double", "triple"));
      const otherServer = await serve(project.folder);
      const warning = "serving a stale build: plugins/triple.ts is new";
      await until(async () => otherServer.log().includes(warning));
      await otherServer.stop();
      const response = await fetch(`http://127.0.0.1:${server.port}/svc/plugin/double?n=4`, {
        headers: { connection: "close" },
      });
      assert.is(((await response.json()) as { response: number }).response, 8);
    } finally {
      await server.end();
    }
  }));

test("serve names a port in use and rejects a data folder that is a file", async () => {
  const { folder } = built;
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, resolve));
  const { port } = taken.address() as { port: number };
  const ports = svc(["serve", folder, "--port", String(port)]);
  expectError(ports, `SVC2202: main port ${port} is in use`);
  assert.match(ports.stderr, "choose another");
  await new Promise((resolve) => taken.close(resolve));
  const root = svc(["serve", folder, "--root", join(folder, "nowhere", "deeper")]);
  expectError(root, "SVC3008: ");
});

test("serve names a plugin that cannot be loaded, and the reason for a failed transport", () =>
  inProject(
    async ({ folder }) => {
      await buildProject(folder);
      const plugins = svc(["serve", folder, "--port", "0"]);
      expectError(plugins, "SVC2201: ");
      assert.match(plugins.stderr, "not in the mood");
      const transport = svc(["serve", folder, "--port", "0", "--transport", "uws"]);
      expectError(transport, "SVC2301: transport uws: hyper-express is not installed");
    },
    { "plugins/double.ts": `${GOOD_PLUGIN}\nthrow new Error("not in the mood");\n` },
  ));

test("reports too few file descriptors and the fix", () => {
  const serving = ["svc", process.execPath, SVC, "serve", built.folder];
  // Too few for the modules of the main thread, and for those of another thread or for its ports.
  for (const limit of [24, 30]) {
    const words = ["-c", `ulimit -n ${limit}; exec "$@"`, ...serving];
    const { status, stderr } = spawnSync("bash", words, { encoding: "utf8", timeout: 60_000 });
    const label = `${limit}: ${stderr}`;
    assert.match(stderr, /SVC3093: .*EMFILE: too many open files/, label);
    assert.match(stderr, "`ulimit -n 65536`", label);
    assert.is(status, 1);
  }
});

test("doctor reports on machine and project without changing anything", () =>
  inProject(async ({ folder }) => {
    const { status, stdout } = svc(["doctor", folder]);
    assert.match(stdout, `ok    node        ${process.versions.node}`);
    assert.match(stdout, /ok {4}transport {3}(net|uws) \(.*\); uws needs /);
    assert.match(stdout, "warn  build       not built: run `svc build`");
    assert.is(status, 0);
    await buildProject(folder);
    assert.match((await svcHere("doctor", folder)).stdout, "ok    build       current, plugins: 1");
  }));

test("init fails at once in a read-only location", () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [SVC, "init", "/proc/nowhere/my-service"],
    {
      encoding: "utf8",
      timeout: 5000,
    },
  );
  expectError({ status, stderr }, "SVC3009: ");
});

test.run();
