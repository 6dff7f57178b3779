// Compressed responses and files as clients see them: which ones are compressed, and which never.
// limit: 60 s

import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject, type RunningServer, serve } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const PLUGINS = `import { HttpResponse, type int, type PluginRequest } from "svc-server";

/** Much that repeats. @plugin */
export function much(_request: PluginRequest, bytes: int = 5000): string {
  return "svc ".repeat(bytes / 4);
}

/** Bytes of a type of its own. @plugin */
export function own(_request: PluginRequest, type: string, field: string = ""): HttpResponse {
  const [name, value] = field.split("=");
  const headers = name === "" ? {} : { [name!]: value! };
  return new HttpResponse("svc ".repeat(1000), { type, headers });
}
`;

const test = suite<{ project: TemporaryProject; root: string; servers: RunningServer[] }>(
  "compression",
);

test.before(async (context) => {
  context.servers = [];
  context.project = new TemporaryProject({ "plugins/much.ts": PLUGINS });
  context.root = mkdtempSync(join(tmpdir(), "svc-compression-"));
  await buildProject(context.project.folder);
  mkdirSync(join(context.root, "WEB-ROOT"));
  context.servers.push(await serve(context.project.folder, "--root", context.root));
});
test.after(async ({ project, root, servers }) => {
  await Promise.all(servers.map((server) => server.end()));
  rmSync(root, { recursive: true });
  project.remove();
});

interface ReceivedResponse {
  readonly status: number;
  readonly fields: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

type Fields = Readonly<Record<string, string>>;

/** Without fields that fetch adds by itself. */
function call(
  server: RunningServer,
  path: string,
  headers: Fields = {},
  method = "GET",
): Promise<ReceivedResponse> {
  const options = { host: "127.0.0.1", port: server.port, path, headers, method, agent: false };
  return new Promise((resolve, reject) => {
    const sentRequest = request(options, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () => {
        resolve({
          status: response.statusCode!,
          fields: response.headers,
          body: Buffer.concat(pieces),
        });
      });
    });
    sentRequest.on("error", reject).end();
  });
}

const MUCH = "/svc/plugin/much";
const GZIP = { "accept-encoding": "gzip" };

test("preserves the content of a response in fewer bytes", async ({ servers: [server] }) => {
  const plainResponse = await call(server!, MUCH);
  assert.is(plainResponse.fields["content-encoding"], undefined);
  assert.is(plainResponse.fields.vary, "Accept-Encoding");
  const response = (body: Buffer): unknown => JSON.parse(body.toString()).response;
  for (const [coding, decode] of [
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
  ] as const) {
    const reply = await call(server!, MUCH, { "accept-encoding": coding });
    assert.is(reply.fields["content-encoding"], coding);
    assert.is(reply.fields.vary, "Accept-Encoding");
    assert.is(Number(reply.fields["content-length"]), reply.body.length);
    assert.ok(reply.body.length < plainResponse.body.length / 10);
    assert.is(response(decode(reply.body)), response(plainResponse.body));
  }
});

test("leaves small responses uncompressed without related fields", async ({
  servers: [server],
}) => {
  const { fields } = await call(server!, `${MUCH}?bytes=400`, GZIP);
  assert.is(fields["content-encoding"], undefined);
  assert.is(fields.vary, undefined);
});

test("compresses responses to requests with credentials only if configured", async (context) => {
  const [server] = context.servers;
  const compressing = await serve(context.project.folder, "--compression", "all");
  const off = await serve(context.project.folder, "--compression", "off");
  context.servers.push(compressing, off);
  const ways: Fields[] = [
    { cookie: "session=1" },
    { authorization: "Bearer x" },
    { "x-api-key": "1" },
  ];
  for (const shown of ways) {
    const headers = { ...GZIP, ...shown };
    const { fields } = await call(server!, MUCH, headers);
    assert.is(fields["content-encoding"], undefined, JSON.stringify(shown));
    assert.is((await call(compressing, MUCH, headers)).fields["content-encoding"], "gzip");
  }
  const { fields } = await call(off, MUCH, GZIP);
  assert.is(fields["content-encoding"], undefined);
  assert.is(fields.vary, undefined);
});

test("compresses bytes of a plugin unless its header fields depend on them", async (context) => {
  const [server] = context.servers;
  const coded = async (query: string): Promise<unknown> => {
    const response = await call(server!, `/svc/plugin/own?${query}`, GZIP);
    assert.is(response.status, 200);
    return response.fields["content-encoding"];
  };
  assert.is(await coded("type=text/html"), "gzip");
  assert.is(await coded("type=image/png"), undefined);
  for (const field of ['etag="1"', "set-cookie=a", "cache-control=no-transform"]) {
    assert.is(await coded(`type=text/html&field=${encodeURIComponent(field)}`), undefined, field);
  }
  assert.is(await coded("type=text/html&field=content-encoding%3Dx-own"), "x-own");
});

test("keeps the order of pipelined responses", async ({ servers: [server] }) => {
  const sizes = Array.from({ length: 40 }, (_, index) => 4 * (100 + index * 400));
  const responses = await Promise.all(
    sizes.map((bytes) => call(server!, `${MUCH}?bytes=${bytes}`, GZIP)),
  );
  for (const [index, { fields, body }] of responses.entries()) {
    const text = fields["content-encoding"] === "gzip" ? gunzipSync(body) : body;
    assert.is(JSON.parse(text.toString()).response.length, sizes[index]);
  }
});

test("gives a file a separate etag per coding", async ({ servers: [server], root }) => {
  const path = join(root, "WEB-ROOT", "page.html");
  const text = "<p>svc</p>\n".repeat(500);
  writeFileSync(path, text);
  const plainResponse = await call(server!, "/page.html");
  const coded = await call(server!, "/page.html", GZIP);
  assert.is(gunzipSync(coded.body).toString(), text);
  const head = await call(server!, "/page.html", GZIP, "HEAD");
  assert.equal(head.fields, coded.fields);
  assert.is(head.body.length, 0);
  assert.is(coded.fields["content-type"], "text/html; charset=UTF-8");
  for (const { fields } of [plainResponse, coded]) assert.is(fields.vary, "Accept-Encoding");
  const [tag, codedTag] = [plainResponse.fields.etag as string, coded.fields.etag as string];
  assert.is(codedTag, tag.replace(/"$/, '-gzip"'));

  const again = (headers: Fields): Promise<ReceivedResponse> =>
    call(server!, "/page.html", headers);
  assert.is((await again({ ...GZIP, "if-none-match": codedTag })).status, 304);
  assert.is((await again({ ...GZIP, "if-none-match": tag })).status, 200);
  assert.is((await again({ "if-none-match": tag })).status, 304);
  assert.is((await again({ "if-none-match": codedTag })).status, 200);

  const part = await again({ ...GZIP, range: "bytes=0-9" });
  assert.is(part.status, 206);
  assert.is(part.fields["content-encoding"], undefined);
  assert.is(part.body.toString(), text.slice(0, 10));

  // A file that changes is compressed again.
  writeFileSync(path, text.replaceAll("svc", "new"));
  utimesSync(path, 1000, 1000);
  assert.match(gunzipSync((await again(GZIP)).body).toString(), "new");
});

test("leaves images and small files uncompressed", async ({ servers: [server], root }) => {
  for (const [name, bytes] of [
    ["a.png", 5000],
    ["a.txt", 500],
  ] as const) {
    writeFileSync(join(root, "WEB-ROOT", name), "x".repeat(bytes));
    const { fields, body } = await call(server!, `/${name}`, GZIP);
    assert.is(fields["content-encoding"], undefined);
    assert.is(fields.vary, undefined);
    assert.is(body.length, bytes);
  }
});

test("compresses once behind a dispatcher", async (context) => {
  const [server] = context.servers;
  const file = join(context.root, "dispatcher.json");
  const partitions = [[{ host: "127.0.0.1", port: server!.port }]];
  writeFileSync(file, JSON.stringify({ partitions, replicas: [{}] }));
  const { folder } = context.project;
  const front = await serve(folder, "--role", "dispatcher", "--dispatcher", file);
  context.servers.push(front);
  let response = await call(front, MUCH, GZIP);
  // Its back-end may not have responded to a health check yet.
  while (response.status === 503) response = await call(front, MUCH, GZIP);
  assert.is(response.fields["content-encoding"], "gzip");
  assert.is(JSON.parse(gunzipSync(response.body).toString()).response.length, 5000);
});

test("logs the number of bytes sent", async ({ project, root, servers }) => {
  const logged = await serve(
    project.folder,
    ...["--root", join(root, "logged"), "--log-format", "json", "--access-log-sample-every", "1"],
  );
  servers.push(logged);
  const accept = { "accept-encoding": "gzip" };
  const { body } = await call(logged, "/svc/plugin/much", accept);
  while (!logged.log().includes("/svc/plugin/much 200"))
    await new Promise((done) => setTimeout(done, 20));
  assert.ok(body.length < 1000);
  assert.match(logged.log(), `"bytes":${body.length},`);
});

test.run();
