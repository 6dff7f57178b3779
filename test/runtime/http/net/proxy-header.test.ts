// The header of the PROXY protocol, versions 1 and 2.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseProxyHeader } from "../../../../runtime/http/net/proxy-header.js";

const test = suite("PROXY protocol header");
const SIGNATURE = "\r\n\r\n\0\r\nQUIT\n";

function binaryHeader(command: number, family: number, content: Buffer): Buffer {
  const head = Buffer.from(`${SIGNATURE}\0\0\0\0`, "latin1");
  head[12] = command;
  head[13] = family;
  head.writeUInt16BE(content.length, 14);
  return Buffer.concat([head, content]);
}

const V4 = Buffer.from([192, 0, 2, 1, 10, 0, 0, 1, 0x12, 0x67, 0, 80]);
const V6 = Buffer.from(`20010db8${"0".repeat(23)}1${"0".repeat(32)}12670050`, "hex");
const MAPPED = Buffer.from(`${"0".repeat(20)}ffffc0000201${"0".repeat(32)}12670050`, "hex");
const TLV = Buffer.from([4, 0, 2, 1, 2]);

const VALID: [Buffer, string | null][] = [
  [Buffer.from("PROXY TCP4 192.0.2.1 10.0.0.1 4711 80\r\n"), "192.0.2.1 4711"],
  [Buffer.from("PROXY TCP6 2001:DB8::1 ::1 4711 80\r\n"), "2001:db8::1 4711"],
  [Buffer.from("PROXY UNKNOWN\r\n"), "unknown 0"],
  [Buffer.from("PROXY UNKNOWN ffff:: ::1 65535 65535\r\n"), "unknown 0"],
  [binaryHeader(0x21, 0x11, V4), "192.0.2.1 4711"],
  [binaryHeader(0x21, 0x11, Buffer.concat([V4, TLV])), "192.0.2.1 4711"],
  [binaryHeader(0x21, 0x21, V6), "2001:db8::1 4711"],
  [binaryHeader(0x21, 0x21, MAPPED), "192.0.2.1 4711"],
  [binaryHeader(0x20, 0, Buffer.alloc(0)), null],
  [binaryHeader(0x20, 0x11, V4), null],
];

test("returns the source address; null for a health check of the proxy itself", () => {
  for (const [bytes, expected] of VALID) {
    const header = parseProxyHeader(Buffer.concat([bytes, Buffer.from("GET / HTTP/1.1\r\n")]));
    if (header === null || header === "incomplete") throw new Error(bytes.toString("latin1"));
    const { source, byteLength } = header;
    assert.is(source && `${source.address} ${source.port}`, expected);
    assert.is(byteLength, bytes.length);
  }
});

test("waits for the rest of a header that is truncated anywhere", () => {
  for (const [bytes] of VALID) {
    for (let end = 0; end < bytes.length; end++) {
      assert.is(parseProxyHeader(bytes.subarray(0, end)), "incomplete", `${end} bytes`);
    }
  }
});

test("rejects invalid headers", () => {
  const invalid = [
    "GET / HTTP/1.1\r\n",
    "proxy TCP4 192.0.2.1 10.0.0.1 4711 80\r\n",
    "PROXY TCP4 300.0.2.1 10.0.0.1 4711 80\r\n",
    "PROXY TCP4 ::1 ::1 4711 80\r\n",
    "PROXY TCP6 192.0.2.1 10.0.0.1 4711 80\r\n",
    "PROXY TCP4 192.0.2.1 10.0.0.1 99999 80\r\n",
    "PROXY TCP4 192.0.2.1 10.0.0.1 4711\r\n",
    "PROXY UNKNOWNS\r\n",
    "PROXY \r\n",
    `PROXY UNKNOWN ${"x".repeat(107)}`,
    binaryHeader(0x11, 0x11, V4),
    binaryHeader(0x22, 0x11, V4),
    binaryHeader(0x21, 0x31, Buffer.alloc(216)),
    binaryHeader(0x21, 0x11, V4.subarray(0, 11)),
    binaryHeader(0x21, 0x21, V6.subarray(0, 35)),
    binaryHeader(0x20, 0, Buffer.alloc(4096)),
  ];
  for (const bytes of invalid) {
    assert.is(parseProxyHeader(Buffer.from(bytes as string)), null, String(bytes));
  }
});

test.run();
