// Decodes log records to changes for change feeds. Unlike `readRecord` it neither changes the graph
// nor needs its state at that time: records contain ids, and codes of names. If a record lacks the
// type of its vertex, the type is looked up in the current state of the graph.

import { DataError, PositionExpiredError } from "../model/errors.js";
import { MODIFIERS, valueFromBits } from "../model/modifiers.js";
import { NAMED } from "../operations/log-operation.js";
import { UNTYPED } from "../store/code-ranges.js";
import { MAX_DISK_BYTES } from "../store/external-values.js";
import type { GraphStore } from "../store/graph-store.js";
import { NAME_KINDS } from "../store/names.js";
import { OperationCode } from "../store/operation.js";
import { decodeExternalValue, decodeStoredValue } from "../store/property-codec.js";
import {
  type PackedKind,
  PackedValue,
  PropertyKind,
  type PropertyValue,
} from "../store/property-values.js";
import type { PreparedFilter } from "./change-filter.js";
import { formatPosition } from "./change-position.js";
import type { GraphChange } from "./graph-change.js";
import { corruptRecord, RecordReader } from "./record-reader.js";
import {
  operationCountBefore,
  recordCount,
  TRANSACTION_HEAD_WORDS,
  transactionWords,
} from "./transaction-format.js";

/** By code of a record: numbers of words and of texts in its payload. */
const LAYOUTS: readonly (readonly [words: number, texts: number])[] = makeLayouts();

function makeLayouts(): (readonly [number, number])[] {
  const layouts: (readonly [number, number])[] = [];
  layouts[OperationCode.CreateVertex] = [0, 1];
  layouts[OperationCode.DeleteVertex] = [0, 1];
  layouts[OperationCode.SetType] = [0, 1];
  layouts[OperationCode.SetExpiry] = [1, 1];
  layouts[OperationCode.SetRank] = [2, 1];
  layouts[OperationCode.SetProperty] = [0, 2];
  layouts[OperationCode.RemoveProperty] = [0, 1];
  layouts[OperationCode.RemoveProperties] = [0, 1];
  layouts[OperationCode.Connect] = [2, 2];
  layouts[OperationCode.Disconnect] = [0, 2];
  layouts[OperationCode.Truncate] = [0, 0];
  layouts[OperationCode.Enumerate] = [0, 1];
  layouts[OperationCode.SetReadonly] = [0, 0];
  layouts[OperationCode.SetVector] = [1, 2];
  layouts[OperationCode.RemoveVector] = [0, 1];
  layouts[OperationCode.IndexVectors] = [1, 0];
  layouts[OperationCode.SetAutoTimes] = [0, 0];
  layouts[OperationCode.IndexProperty] = [0, 0];
  layouts[OperationCode.SetSimilarity] = [1, 0];
  layouts[OperationCode.IndexTexts] = [0, 1];
  layouts[OperationCode.Constrain] = [1, 0];
  return layouts;
}

/** Kinds of names, as numbered by records of enumerations. */
const RELATIONSHIP = 0;
const TYPE = 1;
const KEY = 2;
const KIND_MASK = 0x7f;
/** Records that may state the type of their vertex, after which it has that type or is gone. */
const STATING_TYPE = new Set<number>([
  ...[OperationCode.CreateVertex, OperationCode.DeleteVertex, OperationCode.SetType],
]);
/** Records of named vectors have one more word. */
const WITH_VECTOR_NAME = new Set<number>([
  ...[OperationCode.IndexVectors, OperationCode.SetSimilarity],
]);
/** Maximum cached types: most changes are followed by others of the same vertices. */
const MAX_KNOWN_TYPES = 10_000;
/** Type of a vertex that no longer exists. */
const UNKNOWN = -1;

const numbers = new Float64Array(1);
const numberWords = new Uint32Array(numbers.buffer);

export class ChangeDecoder {
  readonly #store: GraphStore;
  readonly #filter: PreparedFilter;
  readonly #reader = new RecordReader();
  /** By kind: names by code where the feed started, if known. Codes may be reused later. */
  #initial: readonly ReadonlyMap<number, string>[] = [];
  /** By kind: names by code of the records since. */
  readonly #assigned = NAME_KINDS.map(() => new Map<number, string>());
  #prefix = "";
  #left = 0;
  #count = 0;
  /** The current record. */
  #code = 0;
  #kind = 0;
  #name = 0;
  #second = 0;
  readonly #words = [0, 0];
  readonly #starts = [0, 0];
  readonly #lengths = [0, 0];
  /** Codes of types by id, as records stated them or as they were looked up. */
  readonly #types = new Map<string, number>();

  constructor(store: GraphStore, filter: PreparedFilter) {
    this.#store = store;
    this.#filter = filter;
  }

  /** Call it with the operation count at which the feed starts. */
  rememberNames(count: number): void {
    const names = NAME_KINDS.map((kind) => kind(this.#store).byCode());
    if (this.#store.namesLostCount <= count) this.#initial = names;
  }

  /** Operation count after the last record. */
  get count(): number {
    return this.#count;
  }

  /**
   * Starts a transaction.
   * @param prefix prefix of the positions of its changes
   */
  begin(words: Uint32Array, at: number, prefix: string): void {
    this.#prefix = prefix;
    this.#left = recordCount(words, at);
    this.#count = operationCountBefore(words, at);
    this.#reader.begin(words, at + TRANSACTION_HEAD_WORDS, at + transactionWords(words, at));
  }

  /**
   * Returns the next change that passes the filter; null at the end of the transaction.
   * @param known operation count up to which changes are skipped
   * @throws DataError if the transaction is corrupt
   */
  next(known: number): GraphChange | null {
    while (this.#left > 0) {
      this.#left--;
      this.#count++;
      this.#readRecord();
      if (this.#code === OperationCode.Enumerate) this.#assign();
      if (this.#filter.wanted[this.#code] === 0) {
        this.#forgetType();
        continue;
      }
      const change = this.#change();
      if (change !== null && this.#count > known) return change;
    }
    return null;
  }

  #readRecord(): void {
    const reader = this.#reader;
    const head = reader.word();
    this.#code = head & 0xff;
    this.#kind = (head >>> 8) & 0xff;
    this.#name = head >>> 16;
    this.#second = reader.word();
    const layout = LAYOUTS[this.#code];
    if (layout === undefined) throw corruptRecord("no such operation");
    const [words, texts] = layout;
    for (let index = 0; index < words; index++) this.#words[index] = reader.word();
    if (this.#kind === NAMED && WITH_VECTOR_NAME.has(this.#code)) reader.word();
    for (let index = 0; index < texts; index++) {
      reader.skipText(MAX_DISK_BYTES);
      this.#starts[index] = reader.textAt;
      this.#lengths[index] = reader.textBytes;
    }
  }

  #assign(): void {
    this.#assigned[this.#kind & KIND_MASK]?.set(this.#name, this.#text(0));
  }

  #text(index: 0 | 1): string {
    return this.#reader.text(this.#starts[index], this.#lengths[index]);
  }

  #nameOf(kind: number, code: number): string {
    const known = this.#assigned[kind]!.get(code) ?? this.#initial[kind]?.get(code);
    if (known !== undefined) return known;
    const store = this.#store;
    const name = NAME_KINDS[kind]!(store).nameOf(code);
    if (store.namesLostCount < this.#count) return name;
    const changes = `changes of graph '${store.name}' up to position '${this.position}'`;
    throw new PositionExpiredError(`${changes} have names that no longer exist`);
  }

  /** Returns the change of the current record; null if the filter refuses it. */
  #change(): GraphChange | null {
    switch (this.#code) {
      case OperationCode.Connect:
      case OperationCode.Disconnect:
        return this.#arcChange();
      case OperationCode.Truncate:
        return this.#truncation();
      case OperationCode.SetProperty:
      case OperationCode.RemoveProperty:
        return this.#propertyChange(this.#nameOf(KEY, this.#name));
      case OperationCode.RemoveProperties:
        return this.#propertyChange(null);
      default:
        return this.#vertexChange();
    }
  }

  #vertexChange(): GraphChange | null {
    const id = this.#text(0);
    const code = this.#typeAfter(id);
    if (this.#isRefused(code)) return null;
    const type = this.#typeName(code);
    const { position, at } = this;
    switch (this.#code) {
      case OperationCode.CreateVertex:
        return { kind: "vertexCreated", position, at, id, type };
      case OperationCode.DeleteVertex:
        this.#types.delete(id);
        return { kind: "vertexDeleted", position, at, id, type };
      case OperationCode.SetType:
        return { kind: "typeSet", position, at, id, type };
      case OperationCode.SetVector:
        return { kind: "vectorSet", position, at, id, type };
      default:
        return { kind: "vectorRemoved", position, at, id, type };
    }
  }

  #propertyChange(property: string | null): GraphChange | null {
    const { properties } = this.#filter;
    if (properties !== null && property !== null && !properties.has(property)) return null;
    const id = this.#text(0);
    const code = this.#typeOf(id);
    if (this.#isRefused(code)) return null;
    const type = this.#typeName(code);
    const { position, at } = this;
    if (this.#code !== OperationCode.SetProperty || property === null) {
      return { kind: "propertyRemoved", position, at, id, type, property };
    }
    return { kind: "propertySet", position, at, id, type, property, value: this.#value() };
  }

  #arcChange(): GraphChange {
    const initial = this.#text(0);
    const terminal = this.#text(1);
    const { position, at } = this;
    const row = MODIFIERS[this.#kind];
    const relationship = this.#name === 0 ? null : this.#nameOf(RELATIONSHIP, this.#name);
    if (this.#code === OperationCode.Disconnect) {
      const modifier = row?.name ?? null;
      return { kind: "arcRemoved", position, at, initial, relationship, modifier, terminal };
    }
    if (row === undefined || relationship === null) throw corruptRecord("no such modifier");
    const value = valueFromBits(row.kind, this.#words[0]!);
    const { name: modifier } = row;
    return { kind: "arcSet", position, at, initial, relationship, modifier, value, terminal };
  }

  #truncation(): GraphChange | null {
    this.#types.clear();
    const type = this.#name === 0 ? null : this.#nameOf(TYPE, this.#name);
    const { types } = this.#filter;
    if (types !== null && type !== null && !types.has(type)) return null;
    return { kind: "truncated", position: this.position, at: this.at, type };
  }

  /** Position after the current record. */
  get position(): string {
    return formatPosition(this.#prefix, this.#count);
  }

  /** Second of the current record. */
  get at(): number {
    return this.#second;
  }

  /** Returns the code of the type of the current record's vertex, as the record states it. */
  #typeAfter(id: string): number {
    if (this.#name === 0 || !STATING_TYPE.has(this.#code)) return this.#typeOf(id);
    this.#remember(id, this.#name);
    return this.#name;
  }

  /** Drops the cached type of a vertex, which a record that the filter skips may change. */
  #forgetType(): void {
    if (this.#types.size === 0) return;
    if (this.#code === OperationCode.Truncate) this.#types.clear();
    else if (STATING_TYPE.has(this.#code)) this.#types.delete(this.#text(0));
  }

  #remember(id: string, type: number): void {
    if (this.#types.size >= MAX_KNOWN_TYPES) this.#types.clear();
    this.#types.set(id, type);
  }

  /** Returns the code of the type that the vertex has now, if no earlier record states it. */
  #typeOf(id: string): number {
    const known = this.#types.get(id);
    if (known !== undefined) return known;
    const { ids, vertices } = this.#store;
    const vertex = ids.find(id);
    if (vertex === 0) return UNKNOWN;
    const type = vertices.typeOf(vertex);
    // Another thread may have removed the vertex, and reused its handle.
    if (ids.find(id) !== vertex) return UNKNOWN;
    // The code has another name by now.
    if (this.#store.namesLostCount >= this.#count) return UNKNOWN;
    this.#remember(id, type);
    return type;
  }

  #typeName(code: number): string | null {
    return code === UNKNOWN || code === UNTYPED ? null : this.#nameOf(TYPE, code);
  }

  /** Returns whether the filter excludes a type. Changes of an unknown type are delivered. */
  #isRefused(code: number): boolean {
    const { types } = this.#filter;
    if (types === null || code === UNKNOWN) return false;
    return !types.has(this.#nameOf(TYPE, code));
  }

  #value(): PropertyValue {
    const reader = this.#reader;
    const start = this.#starts[1]!;
    const length = this.#lengths[1]!;
    switch (this.#kind) {
      case PropertyKind.Null:
        return null;
      case PropertyKind.Number:
      case PropertyKind.Float:
        numberWords[0] = reader.words[start]!;
        numberWords[1] = reader.words[start + 1]!;
        return numbers[0]!;
      case PropertyKind.String:
        return this.#text(1);
      case PropertyKind.External:
        return decodeStoredValue(decodeExternalValue(reader.bytes(start, length).slice()));
      default:
        return this.#packedValue(reader.bytes(start, length));
    }
  }

  #packedValue(bytes: Uint8Array): PropertyValue {
    try {
      return decodeStoredValue(new PackedValue(this.#kind as PackedKind, bytes.slice()));
    } catch (error) {
      throw new DataError("corrupt property value", { cause: error });
    }
  }
}
