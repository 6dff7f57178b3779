// Location of the console: on the admin port, on both ports, or off; and `--open`, which shows it.
// limit: 60 s
// takes 10 s

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { certificateFile } from "../support/certificates.js";
import { findBrowser } from "./support/browser.js";
import { openTab } from "./support/browser-tab.js";
import { buildProject, fixture, get, serve, started } from "./support/server.js";

const test = suite("console location");
const BIN = join(packageRoot(), "bin", "svc.cjs");
const root = mkdtempSync(join(tmpdir(), "svc-places-"));

test.before(async () => {
  await buildProject(fixture("engine"));
});
test.after(() => rmSync(root, { recursive: true }));

test("is on both ports if configured, with operations on the admin port only", async () => {
  const server = await serve(fixture("engine"), "--root", join(root, "both"), "--console", "both");
  try {
    for (const port of [server.port, server.port + 1]) {
      const page = await get(port, "/system");
      assert.is(page.status, 200);
      assert.match(page.headers.get("content-security-policy")!, /default-src 'self'/);
    }
    assert.is((await get(server.port, "/svc/builtin/ADMIN_GetAuthToken")).status, 404);
    assert.is((await get(server.port, "/svc/log")).status, 404);
  } finally {
    await server.end();
  }
});

test("works with TLS in a browser, and soon reports a server that hangs", async () => {
  const browser = findBrowser();
  if (browser === null) return;
  const tls = `${certificateFile("server.pem")},${certificateFile("server-key.pem")}`;
  const server = await serve(fixture("engine"), "--root", join(root, "tls"), "--tls", tls);
  const tab = await openTab(browser);
  const hasTrouble = (text: string) =>
    tab.until(`document.querySelector("#trouble")?.innerText.includes("${text}") === true`);
  try {
    await tab.send("Security.setIgnoreCertificateErrors", { ignore: true });
    const origin = `https://127.0.0.1:${server.port + 1}/`;
    await tab.open(`${origin}system`);
    await tab.until(`document.querySelector("main td") !== null`);
    const link = `document.querySelector("main th a")?.href ?? ""`;
    assert.match(String(await tab.value(link)), /^https:/);
    const requests = tab.requests.filter((url) => !url.startsWith("about:"));
    assert.equal(
      requests.filter((url) => !url.startsWith(origin) && !url.startsWith("data:")),
      [],
    );
    assert.equal(tab.complaints, []);
    server.process.kill("SIGSTOP");
    await hasTrouble("No response for 2 s. Data as of ");
    server.process.kill("SIGCONT");
    await tab.until(`document.querySelector("#trouble") === null`);
  } finally {
    server.process.kill("SIGCONT");
    await tab.close();
    await server.end();
  }
});

/** A program that records its arguments instead of opening a browser. */
function opener(name: string): { openedFile: string; env: NodeJS.ProcessEnv } {
  const file = join(root, name);
  const program = join(root, "xdg-open");
  const write = `printf '%s\\n' "$#" "$1" > "${file}.new"; mv "${file}.new" "${file}"`;
  writeFileSync(program, `#!/bin/sh\n${write}\n`);
  chmodSync(program, 0o755);
  return {
    openedFile: file,
    env: { ...process.env, PATH: `${root}${delimiter}${process.env.PATH}` },
  };
}

/** Content of a file, once it exists. */
async function written(path: string): Promise<string> {
  for (;;) {
    try {
      return readFileSync(path, "utf8");
    } catch {
      await delay(50);
    }
  }
}

test("--open passes the address to the browser command as one argument", async () => {
  if (process.platform !== "linux") return;
  const { openedFile, env } = opener("told");
  const words = [BIN, "serve", fixture("engine"), "--port", "0", "--root", join(root, "open")];
  const server = await started([...words, "--open"], env);
  try {
    const text = await written(openedFile);
    assert.is(text, `1\nhttp://127.0.0.1:${server.port + 1}/\n`);
  } finally {
    await server.end();
  }
});

test("--open of a supervised server applies to the first start only", async () => {
  if (process.platform !== "linux") return;
  const { openedFile, env } = opener("supervised");
  const words = [BIN, "serve", fixture("engine"), "--port", "0", "--root", join(root, "again")];
  const server = await started([...words, "--supervise"], { ...env, SVC_OPEN: "true" });
  const { pid } = server.process;
  const child = () => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  try {
    assert.is(await written(openedFile), `1\nhttp://127.0.0.1:${server.port + 1}/\n`);
    const first = child();
    const line = (of: string) => readFileSync(`/proc/${of}/cmdline`, "utf8").split("\0");
    assert.ok(line(first).includes("--open"));
    process.kill(Number(first), "SIGKILL");
    while (["", first].includes(child())) await delay(50);
    while ((await get(server.port, "/svc/hc").catch(() => null)) === null) await delay(50);
    assert.not.ok(line(child()).includes("--open"));
    assert.not.match(readFileSync(`/proc/${child()}/environ`, "utf8"), /\0SVC_OPEN=/);
  } finally {
    await server.stop();
  }
});

test("--open prints the address when no browser can be opened", async () => {
  const env = { ...process.env, PATH: root };
  rmSync(join(root, "xdg-open"), { force: true });
  const words = [BIN, "serve", fixture("engine"), "--port", "0", "--root", join(root, "none")];
  const server = await started([...words, "--open"], env);
  try {
    while (!server.output().includes("cannot open a browser")) await delay(50);
  } finally {
    await server.end();
  }
});

test.run();
