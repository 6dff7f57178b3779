// Transfer of a graph snapshot: the provider sends the snapshot file and external values in chunks,
// and the subscriber writes them to its folder. The content is validated when it is loaded.

import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import {
  installValues,
  listValues,
  readSnapshotHeader,
  SnapshotFiles,
} from "../graph/manager/logging-entry-points.js";
import { MessageType, type MessageTypeNumber, malformedMessage } from "./wire/messages.js";
import type { OfferedGraph, SnapshotHead } from "./wire/positions.js";

const CHUNK_BYTES = 2 ** 18;
/** Length prefix of each external value. */
const LENGTH_BYTES = 4;

export interface SnapshotSource {
  /** Saves a graph now; resolves with its folder. */
  saveNow(name: string): Promise<string>;
}

/** Ordered message output. */
export interface MessageSink {
  send(type: MessageTypeNumber, body: Uint8Array): Promise<void>;
  sendJson(type: MessageTypeNumber, content: object): Promise<void>;
}

/** Ordered message input. */
export interface MessageSource {
  /** @throws SvcError SVC2531 if another message arrives */
  expect(type: MessageTypeNumber): Promise<Buffer>;
}

/** @returns operation count of the snapshot */
export async function sendSnapshot(
  peer: MessageSink,
  graph: OfferedGraph,
  source: SnapshotSource,
): Promise<number> {
  const folder = await source.saveNow(graph.name);
  const { current } = new SnapshotFiles(folder);
  const { operationCount } = readSnapshotHeader(current);
  // The descriptor stays valid if a concurrent save replaces the file.
  const descriptor = openSync(current, "r");
  try {
    const { size: bytes } = fstatSync(descriptor);
    const values = listValues(folder);
    const valueBytes = values.reduce((sum, value) => sum + LENGTH_BYTES + value.bytes, 0);
    const head: SnapshotHead = { ...graph, bytes, count: operationCount };
    const withValues = valueBytes === 0 ? head : { ...head, values: valueBytes };
    await peer.sendJson(MessageType.SnapshotBegin, withValues);
    await sendBytes(peer, graph.name, descriptor, bytes);
    for (const value of values) await sendValue(peer, graph.name, value);
    await peer.send(MessageType.SnapshotEnd, Buffer.alloc(0));
    return operationCount;
  } finally {
    closeSync(descriptor);
  }
}

async function sendValue(
  peer: MessageSink,
  name: string,
  { file, bytes }: { readonly file: string; readonly bytes: number },
): Promise<void> {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(bytes);
  await peer.send(MessageType.SnapshotChunk, length);
  const descriptor = openSync(file, "r");
  try {
    await sendBytes(peer, name, descriptor, bytes);
  } finally {
    closeSync(descriptor);
  }
}

async function sendBytes(
  peer: MessageSink,
  name: string,
  descriptor: number,
  bytes: number,
): Promise<void> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let at = 0; at < bytes; ) {
    const read = readSync(descriptor, chunk, 0, CHUNK_BYTES, at);
    if (read === 0) throw new Error(`the snapshot of graph "${name}" ends too soon`);
    await peer.send(MessageType.SnapshotChunk, chunk.subarray(0, read));
    at += read;
  }
}

/**
 * Receives a snapshot into the graph's folder.
 * @param received called with the bytes of each chunk
 * @throws SvcError SVC2531
 */
export async function receiveSnapshot(
  peer: MessageSource,
  { bytes, values = 0 }: Pick<SnapshotHead, "bytes" | "values">,
  folder: string,
  received: (bytes: number) => void = () => undefined,
): Promise<void> {
  new SnapshotFiles(folder).makeFolder();
  await receiveBytes(peer, bytes, receivedFile(folder), received);
  await receiveBytes(peer, values, receivedValuesFile(folder), received);
  await peer.expect(MessageType.SnapshotEnd);
}

async function receiveBytes(
  peer: MessageSource,
  bytes: number,
  file: string,
  received: (bytes: number) => void,
): Promise<void> {
  const descriptor = openSync(file, "w", 0o600);
  try {
    let at = 0;
    while (at < bytes) {
      const chunk = await peer.expect(MessageType.SnapshotChunk);
      if (chunk.length === 0 || at + chunk.length > bytes)
        throw malformedMessage("a piece too long");
      let done = 0;
      while (done < chunk.length) done += writeSync(descriptor, chunk, done);
      at += chunk.length;
      received(chunk.length);
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Replaces all snapshots of a closed graph by the received one. */
export function installSnapshot(folder: string): void {
  const files = new SnapshotFiles(folder);
  // Otherwise recovery would fall back to an older snapshot if the received one is corrupt.
  const { current, previous, delta, previousDelta } = files;
  for (const stale of [current, previous, delta, previousDelta]) rmSync(stale, { force: true });
  installValues(folder, receivedValuesFile(folder));
  rmSync(receivedValuesFile(folder));
  renameSync(receivedFile(folder), files.temporary);
  files.replace();
}

function receivedFile(folder: string): string {
  return join(folder, "graph.snapshot.received");
}

function receivedValuesFile(folder: string): string {
  return join(folder, "graph.values.received");
}
