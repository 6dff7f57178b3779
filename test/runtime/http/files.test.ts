// Files are served from their folder and from nowhere else, whatever way a path tries.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FileServer } from "../../../runtime/http/files.js";
import type { ByteSource, Exchange } from "../../../runtime/http/transport.js";

const FORBIDDEN = "403 403 Forbidden: forbidden path";
const INVALID = "403 403 Forbidden: invalid path";
const UNKNOWN = "404 404 Not Found: unknown service or file";
const LARGE = 300_000;

const root = mkdtempSync(join(tmpdir(), "svc-files-"));
const web = join(root, "WEB-ROOT");
const test = suite("files");

test.before(() => {
  mkdirSync(join(web, "sub"), { recursive: true });
  writeFileSync(join(root, "secret.txt"), "secret");
  writeFileSync(join(web, "hello.txt"), "hello");
  writeFileSync(join(web, "empty.txt"), "");
  writeFileSync(join(web, ".env"), "secret");
  mkdirSync(join(web, ".git"));
  writeFileSync(join(web, ".git", "config"), "secret");
  mkdirSync(join(web, ".well-known"));
  writeFileSync(join(web, ".well-known", "security.txt"), "open");
  symlinkSync(".env", join(web, "environment"));
  writeFileSync(join(web, "sub", "page.html"), "<p>");
  writeFileSync(join(web, "caf\u00e9 1.json"), "{}");
  writeFileSync(join(web, "100%.bin"), "x");
  writeFileSync(join(web, "large"), Buffer.alloc(LARGE, "z"));
  symlinkSync(join(root, "secret.txt"), join(web, "link.txt"));
  symlinkSync("hello.txt", join(web, "inner.txt"));
  symlinkSync(root, join(web, "up"));
  symlinkSync("loop", join(web, "loop"));
});
test.after(() => rmSync(root, { recursive: true }));

async function read(source: ByteSource): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}

/** Status, media type and length of the answer with its content, or status and message. */
function ask(path: string, folder = web, showsHidden = false): Promise<string> {
  return new Promise((resolve) => {
    const exchange: Pick<Exchange, "answer" | "answerStream"> = {
      answer: (status, mediaType, body) => resolve(`${status} ${mediaType} ${body.length}`),
      answerStream: async (status, mediaType, length, source) => {
        const content = await read(source);
        assert.is(content.length, length);
        resolve(`${status} ${mediaType} ${length > 100 ? length : content}`);
      },
    };
    const refuse = (status: number, message: string): void => resolve(`${status} ${message}`);
    new FileServer(folder, showsHidden).serve(exchange as Exchange, path, refuse);
  });
}

test("hidden files are there for those who want them to be", async () => {
  assert.is(await ask("/.env", web, true), "200 application/octet-stream secret");
  assert.is(await ask("/environment", web, true), "200 application/octet-stream secret");
  assert.is(await ask("/../secret.txt", web, true), await ask("/../secret.txt"));
});

const answers: Readonly<Record<string, string>> = {
  "/hello.txt": "200 text/plain hello",
  "/.env": UNKNOWN,
  "/%2eenv": UNKNOWN,
  "/.git/config": UNKNOWN,
  "/sub/../.git/config": UNKNOWN,
  "/environment": UNKNOWN,
  "/.well-known/security.txt": "200 text/plain open",
  "/sub/page.html": "200 text/html <p>",
  "/sub/../hello.txt": "200 text/plain hello",
  "/%68ello.txt": "200 text/plain hello",
  "/caf%C3%A9%201.json": "200 application/json {}",
  "/caf\xc3\xa9%201.json": "200 application/json {}",
  "/100%25.bin": "200 application/octet-stream x",
  "/inner.txt": "200 text/plain hello",
  "/large": `200 application/octet-stream ${LARGE}`,
  "/empty.txt": "200 text/plain 0",
  "/missing": UNKNOWN,
  "/": UNKNOWN,
  "/sub": UNKNOWN,
  "/sub/": UNKNOWN,
  "/hello.txt/": UNKNOWN,
  "/hello.txt/x": UNKNOWN,
  "/loop": UNKNOWN,
  [`/${"a".repeat(300)}`]: UNKNOWN,
  "/../secret.txt": FORBIDDEN,
  "/%2e%2e/secret.txt": FORBIDDEN,
  "/..%2fsecret.txt": FORBIDDEN,
  "/sub/../../secret.txt": FORBIDDEN,
  "/../WEB-ROOT-other/x": FORBIDDEN,
  "/../../../../../../etc/passwd": FORBIDDEN,
  "/link.txt": FORBIDDEN,
  "/up/secret.txt": FORBIDDEN,
  "/%252e%252e/secret.txt": UNKNOWN,
  "/a%00b": INVALID,
  "/%zz": INVALID,
  "/%": INVALID,
  "/100%.bin": INVALID,
};

for (const [path, answer] of Object.entries(answers)) {
  test(path, async () => assert.is(await ask(path), answer));
}

test("a folder that does not exist has no files", async () => {
  assert.is(await ask("/hello.txt", join(root, "none")), UNKNOWN);
});

test.run();
