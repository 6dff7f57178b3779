// TLS files: validation errors, and reloading after changes.

import { X509Certificate } from "node:crypto";
import { cpSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../runtime/base/errors.js";
import { MAX_TLS_FILE_BYTES } from "../../../runtime/base/limits.js";
import { TlsFiles } from "../../../runtime/base/tls-files.js";
import { readTlsPaths } from "../../../runtime/base/tls-paths.js";
import { certificateFile } from "../../support/certificates.js";

const test = suite<{ folder: string }>("tls files");
test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-tls-"));
  for (const name of ["server.pem", "server-key.pem", "ca.pem"]) {
    cpSync(certificateFile(name), join(context.folder, name));
  }
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

const PATHS = { cert: "server.pem", key: "server-key.pem", ca: "ca.pem" };

function filesIn(folder: string, changes: Partial<typeof PATHS> = {}): TlsFiles {
  return new TlsFiles(readTlsPaths(folder, { ...PATHS, ...changes }), "http.tls");
}

async function refusal(files: TlsFiles): Promise<string> {
  const error = await files.load().then(
    () => null,
    (thrown: SvcError) => thrown,
  );
  return error === null ? "none" : `${error.code} ${error.message}`;
}

test("loads matching files", async ({ folder }) => {
  const { options } = await filesIn(folder).load();
  assert.equal(Object.keys(options).sort(), ["ca", "cert", "key"]);
  assert.is(await refusal(new TlsFiles({ cert: null, key: null, ca: null }, "x")), "none");
});

test("names a missing file or a folder", async ({ folder }) => {
  const missing = await refusal(filesIn(folder, { key: "none.pem" }));
  assert.match(missing, /^SVC2940 http\.tls\.key cannot be read: ENOENT: .*none\.pem'$/);
  assert.match(await refusal(filesIn(folder, { cert: "." })), /^SVC2940 http\.tls\.cert .*EISDIR/);
});

test("names a file with other content", async ({ folder }) => {
  const write = (text: string): void => writeFileSync(join(folder, "other.pem"), text);
  const otherFile = (part: string): Promise<string> =>
    refusal(filesIn(folder, { [part]: "other.pem" }));
  write("");
  assert.match(
    await otherFile("cert"),
    /^SVC2941 http\.tls\.cert: .*other\.pem holds no certificate/,
  );
  assert.match(await otherFile("ca"), /^SVC2941 http\.tls\.ca: .*other\.pem holds no certificate/);
  assert.match(
    await otherFile("key"),
    /^SVC2941 http\.tls\.key: .*holds no private key \(PEM, without/,
  );
  write("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  assert.match(await otherFile("cert"), /^SVC2941 .*holds no certificate that can be read$/);
  write("x".repeat(MAX_TLS_FILE_BYTES + 1));
  assert.match(await otherFile("ca"), /^SVC2941 .*other\.pem has 1048577 bytes$/);
});

test("rejects a key of another certificate", async ({ folder }) => {
  cpSync(certificateFile("stray-key.pem"), join(folder, "stray-key.pem"));
  const text = await refusal(filesIn(folder, { key: "stray-key.pem" }));
  assert.match(
    text,
    /^SVC2942 http\.tls: .*stray-key\.pem is not the private key of .*server\.pem$/,
  );
});

/** Two changes within one clock tick must yield different times. */
function put(folder: string, name: string, as: string, second: number): void {
  const path = join(folder, as);
  rmSync(path);
  cpSync(certificateFile(name), path);
  utimesSync(path, second, second);
}

test("reloads changed files once they are stable and match", async ({ folder }) => {
  const files = filesIn(folder);
  await files.load();
  const serial = (): string =>
    new X509Certificate(String(files.material.options.cert)).serialNumber;
  const first = serial();
  assert.is(await files.refresh(), null);

  put(folder, "renewed.pem", "server.pem", 1000);
  assert.is(await files.refresh(), null, "it may still be written");
  assert.is(await files.refresh(), null, "its key is another one");
  assert.is(await files.refresh(), null);
  assert.is(serial(), first);

  put(folder, "renewed-key.pem", "server-key.pem", 2000);
  assert.is(await files.refresh(), null, "it may still be written");
  assert.is.not(await files.refresh(), null);
  assert.is.not(serial(), first);
  assert.is(await files.refresh(), null);

  const second = serial();
  rmSync(join(folder, "server.pem"));
  for (let times = 0; times < 3; times++) assert.is(await files.refresh(), null);
  assert.is(serial(), second, "what is gone stays in use");
});

test("detects a retargeted symbolic link", async ({ folder }) => {
  const link = (name: string, to: string): void => {
    rmSync(join(folder, name));
    symlinkSync(certificateFile(to), join(folder, name));
  };
  const files = filesIn(folder);
  await files.load();
  link("server.pem", "renewed.pem");
  link("server-key.pem", "renewed-key.pem");
  await files.refresh();
  assert.is.not(await files.refresh(), null);
});

test.run();
