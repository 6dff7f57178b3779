// Files are served only from their folder, for any path that a client requests.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FileServer } from "../../../runtime/http/files.js";
import type { ByteStream, Exchange } from "../../../runtime/http/transport.js";

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

async function read(source: ByteStream): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts);
}

interface Told {
  /** Status, media type and length with the content, or status and message. */
  readonly response: string;
  readonly fields: string;
}

/** The parts of an exchange that a file server uses. */
interface Asked extends Pick<Exchange, "respond" | "respondStream"> {
  readonly headers: Pick<Exchange["headers"], "get">;
}

function askWith(fields: Readonly<Record<string, string>>, path: string, folder = web) {
  return new Promise<Told>((resolve) => {
    const tell = (response: string, headerFields = "") =>
      resolve({ response, fields: headerFields });
    const exchange = {
      headers: { get: (name: string) => fields[name] },
      respond: (status, mediaType, body, headerFields) =>
        tell(`${status} ${mediaType} ${body.length}`, headerFields),
      respondStream: async (status, mediaType, length, source, headerFields) => {
        const content = await read(source);
        assert.is(content.length, length);
        tell(`${status} ${mediaType} ${length > 100 ? length : content}`, headerFields);
      },
    } satisfies Asked;
    const files = new FileServer(folder);
    files.serve(exchange as Asked as Exchange, path, (status, message, headerFields) =>
      tell(`${status} ${message}`, headerFields),
    );
  });
}

async function request(path: string, folder = web): Promise<string> {
  return (await askWith({}, path, folder)).response;
}

const responses: Readonly<Record<string, string>> = {
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

for (const [path, response] of Object.entries(responses)) {
  test(path, async () => assert.is(await request(path), response));
}

test("has no files when the folder does not exist", async () => {
  assert.is(await request("/hello.txt", join(root, "none")), UNKNOWN);
});

test("responds with 304 until a file changes", async () => {
  const { fields } = await askWith({}, "/hello.txt");
  const tag = /^ETag: (".*")\r$/m.exec(fields)![1]!;
  const isKnown = async (names: string) =>
    (await askWith({ "if-none-match": names }, "/hello.txt")).response === "304 null 0";
  assert.ok(await isKnown(tag));
  assert.ok(await isKnown(`"other", W/${tag}`));
  assert.ok(await isKnown("*"));
  assert.not(await isKnown('"other"'));
  utimesSync(join(web, "hello.txt"), 1, 1);
  assert.not(await isKnown(tag));
});

const ranges: Readonly<Record<string, string>> = {
  "bytes=0-0": "206 text/plain h | bytes 0-0/5",
  "bytes=1-3": "206 text/plain ell | bytes 1-3/5",
  "bytes=2-": "206 text/plain llo | bytes 2-4/5",
  "bytes=3-99": "206 text/plain lo | bytes 3-4/5",
  "bytes=-2": "206 text/plain lo | bytes 3-4/5",
  "bytes=-99": "206 text/plain hello | bytes 0-4/5",
  "bytes=5-": "416 416 Range Not Satisfiable: range is outside the file | bytes */5",
  "bytes=-0": "416 416 Range Not Satisfiable: range is outside the file | bytes */5",
  "bytes=3-1": "200 text/plain hello | none",
  "bytes=-": "200 text/plain hello | none",
  "bytes=0-1,3-4": "200 text/plain hello | none",
  "lines=0-1": "200 text/plain hello | none",
  "bytes=0-99999999999999999999": "200 text/plain hello | none",
};

for (const [range, expected] of Object.entries(ranges)) {
  test(`serves ${range} of a file`, async () => {
    const { response, fields } = await askWith({ range }, "/hello.txt");
    const part = /^Content-Range: (.*)\r$/m.exec(fields)?.[1] ?? "none";
    assert.is(`${response} | ${part}`, expected);
  });
}

test("ignores a range when the file has changed", async () => {
  const range = "bytes=1-3";
  const { fields } = await askWith({}, "/hello.txt");
  const tag = /^ETag: (".*")\r$/m.exec(fields)![1]!;
  const sameResponse = await askWith({ range, "if-range": tag }, "/hello.txt");
  assert.is(sameResponse.response, "206 text/plain ell");
  const mismatch = await askWith({ range, "if-range": '"other"' }, "/hello.txt");
  assert.is(mismatch.response, "200 text/plain hello");
  const largeResponse = await askWith({ range: "bytes=70000-270000" }, "/large");
  assert.is(largeResponse.response, "206 application/octet-stream 200001");
});

test.run();
