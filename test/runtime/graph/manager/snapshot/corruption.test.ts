// Truncated and corrupt snapshots: the graph loads as of the last save or the one before, never in
// another state.

import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadGraph } from "../../../../../runtime/graph/manager/snapshot/load-graph.js";
import { saveGraph } from "../../../../../runtime/graph/manager/snapshot/save-graph.js";
import { ARENAS, CHUNK_WORDS } from "../../../../../runtime/graph/memory/layout.js";
import { DataError } from "../../../../../runtime/graph/model/errors.js";
import { GraphStore } from "../../../../../runtime/graph/store/graph-store.js";
import { Random, SEED } from "../../../../property/support/random.js";
import { type GraphContent, graphContent } from "../../support/graph-content.js";
import { openStore, TEST_THREAD } from "../../support/make-graph.js";

const PAGE = 16_384;
/** Words of a file header. */
const Word = { Version: 3, TablePage: 9, TableChecksum: 10, Arenas: 64 } as const;
/** Words of an arena entry; the last one is its number of words. */
const ENTRY_WORDS = 8;
const FLIPS = 200;
const NAME = "damaged";

interface Context {
  folder: string;
  current: string;
  previous: string;
  /** Bytes of the files, and the states of the graph. */
  newBytes: Buffer;
  oldBytes: Buffer;
  newState: GraphContent;
  oldState: GraphContent;
}

const test = suite<Context>("corrupt snapshots");

test.before((context) => {
  const folder = mkdtempSync(join(tmpdir(), "svc-damage-"));
  const store = GraphStore.create(NAME, TEST_THREAD);
  const graph = openStore(store);
  const fill = (count: number): GraphContent => {
    for (let arc = 0; arc < count; arc++) {
      graph.connect(`a${arc % 20}`, "likes", `b${arc}`);
      graph.createVertex(`b${arc}`, { lifespan: 1000 + arc, properties: { rank: arc, is: "b" } });
    }
    saveGraph(store, folder);
    return graphContent(store);
  };
  context.folder = folder;
  context.current = join(folder, "graph.snapshot");
  context.previous = join(folder, "graph.snapshot.old");
  context.oldState = fill(50);
  context.newState = fill(90);
  context.newBytes = readFileSync(context.current);
  context.oldBytes = readFileSync(context.previous);
});

test.before.each(({ folder, current, previous, newBytes, oldBytes }) => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  writeFileSync(current, newBytes);
  writeFileSync(previous, oldBytes);
});

test.after(({ folder }) => {
  rmSync(folder, { recursive: true });
});

/** Corrupts the current snapshot, then loads; returns the warning. */
function loadAfter(context: Context, damage: () => void): { warning: string; store: GraphStore } {
  writeFileSync(context.current, context.newBytes);
  damage();
  let warning = "";
  const store = loadGraph(NAME, context.folder, TEST_THREAD, { warn: (line) => (warning = line) });
  assert.ok(store);
  return { warning, store };
}

function flip(bytes: Buffer, bit: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[bit >>> 3]! ^= 1 << (bit & 7);
  return flipped;
}

test("are not used while the last save is intact", (context) => {
  const { warning, store } = loadAfter(context, () => {});
  assert.is(warning, "");
  assert.equal(graphContent(store), context.newState);
});

/** Significant bytes of a file, and padding of pages, by the name of the corruption. */
function sections(file: Buffer): { readonly text: string; start: number; end: number }[] {
  const words = new Uint32Array(Uint8Array.from(file).buffer, 0, Math.floor(file.length / 4));
  const tableAt = (words[Word.TablePage]! * PAGE) / 4;
  const corrupted = [{ text: "header|not a snapshot", start: 0, end: PAGE }];
  let entry = tableAt;
  ARENAS.forEach((name, arena) => {
    for (
      let remaining = words[Word.Arenas + arena * ENTRY_WORDS + 7]!;
      remaining > 0;
      remaining -= CHUNK_WORDS
    ) {
      const start = words[entry]! * PAGE;
      const used = start + Math.min(remaining, CHUNK_WORDS) * 4;
      const text = `chunk \\d+ of "${name}"`;
      corrupted.push({ text, start, end: used });
      if (used < start + PAGE) corrupted.push({ text, start: used, end: start + PAGE });
      entry += 2;
    }
  });
  assert.is(entry, words.length, "that is all of the table");
  corrupted.push({ text: "chunk table", start: tableAt * 4, end: file.length });
  return corrupted;
}

test(`are skipped when too short or too long (seed ${SEED})`, (context) => {
  const { current, newBytes, oldState } = context;
  const { length } = newBytes;
  const random = new Random();
  const lengths = [0, 1, 8, 100, PAGE - 1, PAGE, PAGE + 1, length - PAGE, length - 8, length - 1];
  for (let page = 2; page < length / PAGE; page++) {
    lengths.push(page * PAGE, page * PAGE + random.below(PAGE));
  }
  for (const cut of [...lengths, length + 1, length + PAGE].filter((cut) => cut !== length)) {
    const { warning, store } = loadAfter(context, () => truncateSync(current, cut));
    assert.match(warning, current, `${cut} bytes`);
    assert.equal(graphContent(store), oldState, `${cut} bytes`);
  }
});

test(`are detected by any significant flipped bit (seed ${SEED})`, (context) => {
  const { current, newBytes, oldState } = context;
  const random = new Random();
  const newSections = sections(newBytes);
  assert.ok(newSections.length > ARENAS.length - 5, "nearly all arenas are used");
  for (let round = 0; round < FLIPS; round++) {
    const { text, start, end } = newSections[round % newSections.length]!;
    const bit = start * 8 + random.below((end - start) * 8);
    const { warning, store } = loadAfter(context, () => {
      writeFileSync(current, flip(newBytes, bit));
    });
    assert.match(warning, new RegExp(text), `bit ${bit}`);
    assert.equal(graphContent(store), oldState, `bit ${bit}`);
  }
});

test("are replaced by the previous one when the file is missing", (context) => {
  const { warning, store } = loadAfter(context, () => rmSync(context.current));
  assert.match(warning, "file is missing");
  assert.equal(graphContent(store), context.oldState);
});

test("are renamed, and the next save keeps the previous one", (context) => {
  const { folder, previous, oldBytes, newBytes, current } = context;
  const { store } = loadAfter(context, () => writeFileSync(current, flip(newBytes, PAGE * 8)));
  assert.equal(readdirSync(folder).sort(), ["graph.snapshot.damaged", "graph.snapshot.old"]);
  openStore(store).createVertex("new");
  saveGraph(store, folder);
  assert.ok(readFileSync(previous).equals(oldBytes));
  assert.ok(existsSync(current));
});

test("do not load as an empty graph when both are corrupt", (context) => {
  const { folder, current, previous, newBytes, oldBytes } = context;
  writeFileSync(current, flip(newBytes, PAGE * 8));
  writeFileSync(previous, oldBytes.subarray(0, PAGE * 3));
  const isRefusal = (error: Error): boolean =>
    error instanceof DataError &&
    error.code === "SVC2409" &&
    error.message.includes(current) &&
    error.message.includes(previous);
  assert.throws(() => loadGraph(NAME, folder, TEST_THREAD), isRefusal);
  rmSync(previous);
  assert.throws(() => loadGraph(NAME, folder, TEST_THREAD), isRefusal);
});

test("are told apart from files of another version or machine, which are rejected", (context) => {
  const { folder, current, newBytes } = context;
  const refuse = (word: number, value: number, text: RegExp): void => {
    const damagedBytes = Buffer.from(newBytes);
    damagedBytes.writeUInt32LE(value, word * 4);
    damagedBytes.writeUInt32LE(0, 8);
    damagedBytes.writeUInt32LE(crc32(damagedBytes.subarray(0, PAGE)), 8);
    writeFileSync(current, damagedBytes);
    assert.throws(
      () => loadGraph(NAME, folder, TEST_THREAD),
      (error: Error) => error instanceof DataError && text.test(error.message),
    );
  };
  refuse(Word.Version, 4, /format 4 is of a later release, this one reads up to 3/);
  refuse(Word.Version, 0, /format 0 is not supported/);
  refuse(Word.Version, 1, /another version/);
  // "header" becomes "geader".
  refuse(Word.Arenas, newBytes.readUInt32LE(Word.Arenas * 4) - 1, /unknown section "geader"/);
  const swapped = Buffer.from(newBytes);
  swapped.subarray(12, PAGE).swap32();
  swapped.writeUInt32LE(0, 8);
  swapped.writeUInt32BE(crc32(swapped.subarray(0, PAGE)), 8);
  writeFileSync(current, swapped);
  assert.throws(() => loadGraph(NAME, folder, TEST_THREAD), /different byte order/);
  assert.ok(existsSync(current));
});

test("are rejected before memory is allocated for a false size", (context) => {
  const { folder, current, previous, newBytes } = context;
  rmSync(previous);
  const header = new Uint32Array(newBytes.buffer.slice(newBytes.byteOffset).slice(0, PAGE));
  const tableAt = header[Word.TablePage]! * PAGE;
  const table = [...new Uint32Array(Uint8Array.from(newBytes.subarray(tableAt)).buffer)];
  // An arena of 3 GiB, the first one in the table, all of whose chunks are the single real one.
  const chunks = (3 * 2 ** 30) / PAGE;
  const entries = [...new Array(chunks).fill([1, 0]).flat(), ...table.slice(2)];
  header[Word.Arenas + 7] = chunks * CHUNK_WORDS;
  const bomb = Uint8Array.from(new Uint8Array(Uint32Array.from(entries).buffer));
  header[Word.TableChecksum] = crc32(bomb);
  header[2] = 0;
  header[2] = crc32(new Uint8Array(header.buffer));
  const pages = newBytes.subarray(PAGE, tableAt);
  writeFileSync(current, Buffer.concat([new Uint8Array(header.buffer), pages, bomb]));
  assert.throws(
    () => loadGraph(NAME, folder, TEST_THREAD),
    (error: Error) =>
      error instanceof DataError && /section offsets are out of range/.test(error.message),
  );
});

test.run();
