// Credentials of tried calls: header fields, their faults, and snippets without values.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type Credentials,
  credentialRow,
  credentials,
  findHeaderFault,
  headerRows,
  NO_CREDENTIALS,
  requestHeaders,
  snippetHeaders,
} from "../../console/data/credentials.js";

const test = suite("console credentials");

const credentialsWith = (part: Partial<Credentials>): Credentials => ({
  ...NO_CREDENTIALS,
  ...part,
});

test.after.each(() => {
  credentials.value = NO_CREDENTIALS;
  headerRows.value = [];
});

test("become a header field of their kind", () => {
  const rows: [Partial<Credentials>, string | null][] = [
    [{}, null],
    [{ kind: "Bearer" }, null],
    [{ kind: "Bearer", secret: "t" }, "Authorization: Bearer t"],
    [{ kind: "Basic", user: "ann", secret: "pä" }, "Authorization: Basic YW5uOnDDpA=="],
    [{ kind: "key", secret: "k" }, "X-Api-Key: k"],
    [{ kind: "key", field: "a b", secret: "k" }, null],
    [{ kind: "Bearer", secret: "a\nb" }, null],
  ];
  for (const [part, text] of rows) {
    const row = credentialRow(credentialsWith(part));
    assert.is(row && `${row.name}: ${row.value}`, text, JSON.stringify(part));
  }
});

test("report header fields that cannot be sent", () => {
  assert.is(findHeaderFault({ name: "", value: "" }), null);
  assert.is(findHeaderFault({ name: "X-Tenant", value: "a b" }), null);
  assert.match(findHeaderFault({ name: "X Tenant", value: "" })!, "hyphens");
  assert.match(findHeaderFault({ name: "", value: "a" })!, "hyphens");
  assert.match(findHeaderFault({ name: "Cookie", value: "a" })!, "browsers");
  assert.match(findHeaderFault({ name: "sec-fetch-site", value: "a" })!, "browsers");
  assert.match(findHeaderFault({ name: "X-A", value: "a\r\nb" })!, "one line");
});

test("omit invalid fields, and keep values out of snippets", () => {
  headerRows.value = [
    { name: "X-Tenant", value: "acme" },
    { name: "Cookie", value: "c" },
    { name: "", value: "" },
    { name: "9-a.b", value: "nine" },
  ];
  credentials.value = credentialsWith({ kind: "Bearer", secret: "s" });
  const sent = { "X-Tenant": "acme", "9-a.b": "nine", Authorization: "Bearer s" };
  assert.equal(requestHeaders(), sent);
  assert.equal(snippetHeaders(), [
    { name: "X-Tenant", prefix: "", variable: "X_TENANT" },
    { name: "9-a.b", prefix: "", variable: "_9_A_B" },
    { name: "Authorization", prefix: "Bearer ", variable: "KEY" },
  ]);
});

test.run();
