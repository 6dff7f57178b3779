// Which header fields count for which clients, and which networks match.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PRIVATE_NETWORKS } from "../../../runtime/base/limits.js";
import { ClientPermissions } from "../../../runtime/http/client-permissions.js";
import { HeaderFields, readHeaderFields } from "../../../runtime/http/header-fields.js";

const test = suite("client permissions");

const PARTIAL = "Host: a\r\nAccept: application/x-svc-partial\r\n";

function parseFields(block: string): HeaderFields {
  const fields = readHeaderFields(block);
  assert.instance(fields, HeaderFields);
  return fields as HeaderFields;
}

test("allows private networks as dispatchers by default", () => {
  const rights = new ClientPermissions(PRIVATE_NETWORKS);
  for (const address of ["127.0.0.1", "10.1.2.3", "172.31.0.1", "192.168.1.1", "::1", "fd00::1"]) {
    assert.ok(rights.isDispatcherAddress(address), address);
  }
  assert.ok(rights.isDispatcherAddress("fe80::1%eth0"));
  for (const address of ["172.32.0.1", "192.0.2.1", "8.8.8.8", "2001:db8::1", "", "a"]) {
    assert.not.ok(rights.isDispatcherAddress(address), address);
  }
});

test("excludes loopback with an empty list of parents", () => {
  const rights = new ClientPermissions([]);
  assert.not.ok(rights.isDispatcherAddress("127.0.0.1"));
  assert.not.ok(rights.isDispatcherAddress("::1"));
});

test("copies fields without those a client may not use", () => {
  const rights = new ClientPermissions(["10.0.0.0/8"]);
  const plainFields = parseFields("Host: a\r\nAccept: text/plain\r\n");
  assert.is(rights.filterFields(plainFields, "8.8.8.8"), plainFields);
  const partial = parseFields(PARTIAL);
  assert.is(rights.filterFields(partial, "10.0.0.1"), partial);
  assert.is(rights.filterFields(partial, "8.8.8.8").accept, "json");
  assert.is(partial.accept, "partial");
});

test.run();
