// The key that the instances of one system share: from a file or from the environment.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SharedKey } from "../../../runtime/interconnect/wire/shared-key.js";

const KEY_VARIABLE = "SVC_TX_KEY";
const NONCES = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)] as const;

const test = suite<{ folder: string; file: string }>("shared key");

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-key-"));
  context.file = join(context.folder, "key");
});
test.after.each(({ folder }) => {
  delete process.env[KEY_VARIABLE];
  rmSync(folder, { recursive: true });
});

test("prefers a file to the environment, and trims white space", ({ file }) => {
  process.env[KEY_VARIABLE] = "the key of the environment";
  writeFileSync(file, "  the key of the file\n");
  const inFile = new SharedKey(Buffer.from("the key of the file"));
  const proof = inFile.createProof("provider", ...NONCES);
  assert.ok(SharedKey.read(file).isProof(proof, "provider", ...NONCES));
  assert.not(SharedKey.read(null).isProof(proof, "provider", ...NONCES));
  assert.not(SharedKey.read(file).isProof(proof, "subscriber", ...NONCES));
  assert.not(SharedKey.read(file).isProof(proof.subarray(1), "provider", ...NONCES));
});

test("is absent without a file and a variable", () => {
  assert.not(SharedKey.read(null).isSet);
});

test("may have sixteen bytes", ({ file }) => {
  writeFileSync(file, "x".repeat(16));
  assert.ok(SharedKey.read(file).isSet);
  writeFileSync(file, "x".repeat(15));
  assert.throws(() => SharedKey.read(file), /is shorter than 16 bytes/);
});

test("rejects a short key and names its source", ({ file }) => {
  writeFileSync(file, "short");
  process.env[KEY_VARIABLE] = "short";
  assert.throws(() => SharedKey.read(file), /key in file \/.*key is shorter than/);
  assert.throws(() => SharedKey.read(null), /key in variable SVC_TX_KEY is shorter than/);
});

test.run();
