// Parses the header of the PROXY protocol, versions 1 and 2, by which a TCP proxy names the
// client of a connection before its first byte. The format is that of HAProxy's proxy-protocol.txt.

import { isIP } from "node:net";
import { normalizeAddress, UNKNOWN_CLIENT } from "../proxies.js";

/** The source of a connection. */
export interface ProxySource {
  readonly address: string;
  readonly port: number;
}

export interface ProxyHeader {
  /** Null: the connection is the proxy's own, such as a health check. */
  readonly source: ProxySource | null;
  /** Bytes of the header. */
  readonly byteLength: number;
}

const SIGNATURE = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1");
const PREFIX = Buffer.from("PROXY ");
/** Of a line, with its CR LF. */
const MAX_LINE_BYTES = 107;
const LINE = /^PROXY TCP([46]) (\S+) (\S+) (\d{1,5}) (\d{1,5})$/;
const HEAD_BYTES = 16;
/** Beside addresses, proxies send names and certificates. */
const MAX_BYTES = 4096;
const COMMAND_LOCAL = 0x20;
const COMMAND_PROXY = 0x21;
const TCP4 = 0x11;
const TCP6 = 0x21;

/** Returns null for bytes that do not begin with a valid header. */
export function parseProxyHeader(bytes: Buffer): ProxyHeader | "incomplete" | null {
  if (startsWithBytes(bytes, PREFIX)) return parseLine(bytes);
  return startsWithBytes(bytes, SIGNATURE) ? parseBinary(bytes) : null;
}

/** Returns whether the bytes received so far match the beginning. */
function startsWithBytes(bytes: Buffer, beginning: Buffer): boolean {
  const length = Math.min(bytes.length, beginning.length);
  return bytes.subarray(0, length).equals(beginning.subarray(0, length));
}

function parseLine(bytes: Buffer): ProxyHeader | "incomplete" | null {
  const line = bytes.toString("latin1", 0, MAX_LINE_BYTES);
  const end = line.indexOf("\r\n");
  if (end < 0) return bytes.length < MAX_LINE_BYTES ? "incomplete" : null;
  const byteLength = end + 2;
  const text = line.slice(0, end);
  if (text === "PROXY UNKNOWN" || text.startsWith("PROXY UNKNOWN ")) {
    // A health check of the proxy, or its client has no IP address, such as one of a local socket.
    return { source: { address: UNKNOWN_CLIENT, port: 0 }, byteLength };
  }
  const [, family, address = "", , port] = LINE.exec(text) ?? [];
  if (isIP(address) !== Number(family) || Number(port) > 65_535) return null;
  return { source: { address: normalizeAddress(address)!, port: Number(port) }, byteLength };
}

function parseBinary(bytes: Buffer): ProxyHeader | "incomplete" | null {
  if (bytes.length < HEAD_BYTES) return "incomplete";
  const command = bytes[12]!;
  const byteLength = HEAD_BYTES + bytes.readUInt16BE(14);
  if ((command !== COMMAND_LOCAL && command !== COMMAND_PROXY) || byteLength > MAX_BYTES) {
    return null;
  }
  if (bytes.length < byteLength) return "incomplete";
  if (command === COMMAND_LOCAL) return { source: null, byteLength };
  const source = parseAddresses(bytes[13]!, bytes.subarray(HEAD_BYTES, byteLength));
  return source && { source, byteLength };
}

/** Source address, target address, source port, target port. */
function parseAddresses(family: number, bytes: Buffer): ProxySource | null {
  const size = family === TCP4 ? 4 : 16;
  if ((family !== TCP4 && family !== TCP6) || bytes.length < 2 * size + 4) return null;
  const text =
    size === 4
      ? bytes.subarray(0, 4).join(".")
      : bytes.toString("hex", 0, 16).replace(GROUP, "$&:");
  return { address: normalizeAddress(text)!, port: bytes.readUInt16BE(2 * size) };
}

/** Four digits, but not the last four. */
const GROUP = /.{4}(?=.)/g;
