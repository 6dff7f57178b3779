// Log file format (docs/internals/log-format.md). All numbers are little-endian.
//
//   segment  64 bytes: "SVCLOG2\0" | version | epoch | log id (16) | first sn (8) | chain
//                      | 16 of zeros | CRC-32 of the 60 bytes before
//            table:    a frame with the magic "SVCT", outside of the chain: graphs known so far
//            frames
//   frame    32 bytes: "SVCF" | bytes of the transactions | their CRC-32 | chain
//                      | sn of the first transaction (6) | transactions (2) | epoch
//                      | CRC-32 of these 28 bytes
//            transactions
//
// The chain of a frame is the header checksum of the preceding frame, also across segments. Each
// checksum covers the one before, so a missing or stale frame anywhere breaks the chain.

import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

export const SEGMENT_HEADER_BYTES = 64;
export const FRAME_HEADER_BYTES = 32;
export const LOG_VERSION = 2;
const SEGMENT_MAGIC = "SVCLOG2\0";
const FRAME_MAGIC = 0x4643_5653;
const TABLE_MAGIC = 0x5443_5653;
const LOG_ID_BYTES = 16;
/** 8 MiB for the largest transaction plus its framing. */
export const MAX_FRAME_BYTES = 2 ** 23;
export const MAX_TRANSACTIONS = 0xffff;
const TWO_32 = 2 ** 32;
const NAME = /^[0-9a-f]{16}\.seg$/;

export interface SegmentHeader {
  readonly epoch: number;
  /** 32 hexadecimal digits. */
  readonly logId: string;
  readonly firstSn: number;
  /** `headerCrc` of the frame before the segment; 0: none. */
  readonly chain: number;
}

export interface FrameHeader {
  readonly isTable: boolean;
  /** Length of the transactions, without this header. */
  readonly bytes: number;
  readonly crc: number;
  readonly chain: number;
  /** Sequence number of the first transaction; the log's first is 1. */
  readonly sn: number;
  readonly transactions: number;
  readonly epoch: number;
  /** The next frame has it as its `chain`. */
  readonly headerCrc: number;
}

/** Returns the file name of a segment. */
export function segmentName(firstSn: number): string {
  return `${firstSn.toString(16).padStart(16, "0")}.seg`;
}

/** Returns the first sequence number encoded in a file name; null for other files. */
export function sequenceFromFileName(name: string): number | null {
  return NAME.test(name) ? Number.parseInt(name.slice(0, 16), 16) : null;
}

export function encodeSegmentHeader(header: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
  bytes.write(SEGMENT_MAGIC, 0, "latin1");
  bytes.writeUInt32LE(LOG_VERSION, 8);
  bytes.writeUInt32LE(header.epoch, 12);
  bytes.write(header.logId, 16, LOG_ID_BYTES, "hex");
  bytes.writeBigUInt64LE(BigInt(header.firstSn), 32);
  bytes.writeUInt32LE(header.chain, 40);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
  return bytes;
}

/**
 * Returns null for other or corrupt bytes, and the version number of an unsupported svc segment.
 */
export function decodeSegmentHeader(bytes: Buffer): SegmentHeader | number | null {
  if (bytes.length < SEGMENT_HEADER_BYTES) return null;
  const head = bytes.subarray(0, SEGMENT_HEADER_BYTES);
  if (head.toString("latin1", 0, 6) !== SEGMENT_MAGIC.slice(0, 6)) return null;
  if (crc32(head.subarray(0, 60)) !== head.readUInt32LE(60)) return null;
  if (head.toString("latin1", 0, 8) !== SEGMENT_MAGIC) return head[6]! - 0x30;
  if (head.readUInt32LE(8) !== LOG_VERSION) return head.readUInt32LE(8);
  return {
    epoch: head.readUInt32LE(12),
    logId: head.toString("hex", 16, 16 + LOG_ID_BYTES),
    firstSn: Number(head.readBigUInt64LE(32)),
    chain: head.readUInt32LE(40),
  };
}

/** Writes the header of the payload that the buffer already contains; returns `headerCrc`. */
export function putFrameHeader(
  frame: Buffer,
  header: Pick<FrameHeader, "isTable" | "chain" | "sn" | "transactions" | "epoch">,
): number {
  const payload = frame.subarray(FRAME_HEADER_BYTES);
  frame.writeUInt32LE(header.isTable ? TABLE_MAGIC : FRAME_MAGIC, 0);
  frame.writeUInt32LE(payload.length, 4);
  frame.writeUInt32LE(crc32(payload), 8);
  frame.writeUInt32LE(header.chain, 12);
  frame.writeUInt32LE(header.sn % TWO_32, 16);
  frame.writeUInt16LE(Math.floor(header.sn / TWO_32), 20);
  frame.writeUInt16LE(header.transactions, 22);
  frame.writeUInt32LE(header.epoch, 24);
  const headerCrc = crc32(frame.subarray(0, 28));
  frame.writeUInt32LE(headerCrc, 28);
  return headerCrc;
}

/** Returns null for other or corrupt bytes. */
export function decodeFrameHeader(bytes: Buffer): FrameHeader | null {
  if (bytes.length < FRAME_HEADER_BYTES) return null;
  const magic = bytes.readUInt32LE(0);
  if (magic !== FRAME_MAGIC && magic !== TABLE_MAGIC) return null;
  const headerCrc = bytes.readUInt32LE(28);
  if (crc32(bytes.subarray(0, 28)) !== headerCrc) return null;
  const length = bytes.readUInt32LE(4);
  if (length > MAX_FRAME_BYTES || length % 4 !== 0) return null;
  return {
    isTable: magic === TABLE_MAGIC,
    bytes: length,
    crc: bytes.readUInt32LE(8),
    chain: bytes.readUInt32LE(12),
    sn: bytes.readUInt32LE(16) + bytes.readUInt16LE(20) * TWO_32,
    transactions: bytes.readUInt16LE(22),
    epoch: bytes.readUInt32LE(24),
    headerCrc,
  };
}

export function isIntact(header: FrameHeader, payload: Uint8Array): boolean {
  return payload.length === header.bytes && crc32(payload) === header.crc;
}

/** Beyond any real date: log ids of older versions were random. */
const LATEST_US = 2 ** 52;

/** Returns a new id of 32 hexadecimal digits: microseconds since 1970, then random digits. */
export function newLogId(): string {
  const createdAtUs = (Date.now() * 1000).toString(16).padStart(16, "0");
  return createdAtUs + randomBytes(8).toString("hex");
}

/** Returns the offset that makes sequence numbers increase across logs. */
export function serialBase(logId: string): number {
  const createdAtUs = Number(`0x${logId.slice(0, 16)}`);
  return createdAtUs < LATEST_US ? createdAtUs : 0;
}
