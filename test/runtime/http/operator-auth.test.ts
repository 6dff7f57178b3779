// Authorization of operators: loopback clients, and clients that send the key.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../runtime/base/errors.js";
import { OperatorAuth } from "../../../runtime/http/operator-auth.js";
import { TrustedClients } from "../../../runtime/http/trusted-clients.js";
import { readAdminKey, readDispatcherKey } from "../../../runtime/settings/admin-key.js";
import { fakeConnection, fakeExchange } from "../builtin/fake-view.js";

const test = suite("operator auth");
const KEY = "0123456789abcdef0123";

function refusal(key: string | null, remoteAddress: string, head = ""): string | null {
  const operators = new OperatorAuth(new TrustedClients(["10.0.0.0/8"]), key);
  const exchange = fakeExchange("/", `Host: 127.0.0.1\r\n${head}`);
  return operators.refusal({ ...exchange, connection: fakeConnection({ remoteAddress }) });
}

test("requires no key on loopback, otherwise a trusted network and the key", () => {
  assert.is(refusal(null, "127.0.0.1"), null);
  assert.is(refusal(KEY, "::1"), null);
  assert.match(refusal(null, "10.0.0.9")!, /^403 Forbidden: .*none is configured/);
  assert.match(refusal(KEY, "10.0.0.9")!, /missing or wrong key/);
  assert.match(refusal(KEY, "10.0.0.9", `X-SVC-Admin-Key: ${KEY}4\r\n`)!, /missing or wrong key/);
  assert.match(refusal(KEY, "10.0.0.9", "X-SVC-Admin-Key: \r\n")!, /missing or wrong key/);
  assert.is(refusal(KEY, "10.0.0.9", `X-SVC-Admin-Key: ${KEY}\r\n`), null);
  assert.match(refusal(KEY, "11.0.0.9", `X-SVC-Admin-Key: ${KEY}\r\n`)!, /http\.trusted/);
  const foreign = `X-SVC-Admin-Key: ${KEY}\r\nOrigin: http://evil.example\r\n`;
  assert.match(refusal(KEY, "10.0.0.9", foreign)!, /cross-origin pages/);
});

test("reads a key from a file or variable, and rejects an invalid one", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-key-"));
  const file = join(folder, "key");
  const errorCode = (path: string | null): string | null => {
    try {
      return readAdminKey(path);
    } catch (error) {
      return (error as SvcError).code;
    }
  };
  try {
    writeFileSync(file, `${KEY}\n`);
    assert.is(errorCode(file), KEY);
    for (const text of ["", "short", "with blank in the middle", "line\r\nX-Other: 1234567890"]) {
      writeFileSync(file, text);
      assert.is(errorCode(file), "SVC2702", text);
    }
    assert.is(errorCode(join(folder, "none")), "SVC2702");
    assert.is(errorCode(null), null);
    process.env.SVC_ADMIN_KEY = KEY;
    assert.is(errorCode(null), KEY);
    // The key of dispatchers has the same rules.
    writeFileSync(file, "short");
    assert.throws(
      () => readDispatcherKey(file),
      ({ code }: SvcError) => code === "SVC2703",
    );
  } finally {
    delete process.env.SVC_ADMIN_KEY;
    rmSync(folder, { recursive: true });
  }
});

test.run();
