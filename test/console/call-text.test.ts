// Sample calls of the console run unchanged, and send any typed arguments.
// limit: 60 s
// starts processes

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { callText, LANGUAGES, type Language } from "../../console/data/call-snippets.js";
import type { SnippetHeader } from "../../console/data/credentials.js";
import type { PluginRequest } from "../../console/data/form.js";

const run = promisify(execFile);
const test = suite("console calls");
const HOSTILE = "@/etc/passwd '\"; $(exit 3) `exit 4` \\ \n\t% ø 🦊 \u2028 {x}";
const PROGRAMS: Readonly<Record<Language, readonly [string, ...string[]]>> = {
  curl: ["sh", "-c"],
  TypeScript: [process.execPath, "--input-type=module", "-e"],
  Python: ["python3", "-c"],
};
let server: Server;
const folder = mkdtempSync(join(tmpdir(), "svc-calls-"));
let received: readonly [method: string, url: string, body: string] = ["", "", ""];
let fields: Readonly<Record<string, unknown>> = {};

test.before(
  () =>
    new Promise<void>((resolve) => {
      server = createServer(async (request, response) => {
        let body = "";
        for await (const piece of request.setEncoding("utf8")) body += piece;
        received = [request.method!, request.url!, body];
        fields = request.headers;
        response.end(`{"response": 1}`);
      }).listen(0, "127.0.0.1", resolve);
    }),
);

test.after(async () => {
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  rmSync(folder, { recursive: true });
});

for (const language of LANGUAGES) {
  test(`${language} sends the typed arguments`, async () => {
    if (!(await isInstalled(language))) return;
    const path = `svc/plugin/p?q=${encodeURIComponent(HOSTILE)}`;
    await send(language, { method: "GET", path, body: null, isEnveloped: true });
    // An apostrophe may be escaped in transit: it means the same.
    assert.equal(
      [received[0], decodeURIComponent(received[1]!)],
      ["GET", `/svc/plugin/p?q=${HOSTILE}`],
    );
    const body = { kind: "text", text: HOSTILE } as const;
    await send(language, { method: "POST", path: "svc/plugin/p", body, isEnveloped: true });
    assert.equal(received, ["POST", "/svc/plugin/p", HOSTILE]);
  });

  test(`${language} reads values of header fields from the environment`, async () => {
    if (!(await isInstalled(language))) return;
    const request = { method: "GET", path: "svc/plugin/p", body: null, isEnveloped: true } as const;
    await send(language, request, [
      { name: "Authorization", prefix: "Bearer ", variable: "KEY" },
      { name: "X-$HOME`'", prefix: "", variable: "X_EXIT" },
    ]);
    assert.is(fields.authorization, "Bearer se'cret");
    assert.is(fields["x-$home`'"], "$value");
  });

  test(`${language} sends files`, async () => {
    if (!(await isInstalled(language))) return;
    const name = `a 'b" $(exit 3).png`;
    writeFileSync(join(folder, name), "content");
    const file = new File(["content"], name, { type: "image/png" });
    const request = { method: "POST", path: "svc/plugin/p", isEnveloped: false } as const;
    await send(language, { ...request, body: { kind: "file", file } });
    assert.equal(received, ["POST", "/svc/plugin/p", "content"]);
    await send(language, { ...request, body: { kind: "form", files: [["pic", file]] } });
    assert.match(String(fields["content-type"]), /^multipart\/form-data; boundary=/);
    assert.match(received[2], /name="pic"; filename="a 'b(?:%22|\\") \$\(exit 3\)\.png"/);
    assert.match(received[2], "\r\n\r\ncontent\r\n--");
  });
}

async function isInstalled(language: Language): Promise<boolean> {
  const [program] = PROGRAMS[language];
  try {
    await run(program, program === "sh" ? ["-c", "command -v curl"] : ["--version"]);
    return true;
  } catch {
    console.log(`console calls: no ${language} here`);
    return false;
  }
}

/** Runs the snippet of a request. */
async function send(
  language: Language,
  request: PluginRequest,
  headers: readonly SnippetHeader[] = [],
): Promise<void> {
  const [program, ...args] = PROGRAMS[language];
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { ...process.env, KEY: "se'cret", X_EXIT: "$value" };
  await run(program, [...args, callText(language, origin, request, headers)], { cwd: folder, env });
}

test.run();
