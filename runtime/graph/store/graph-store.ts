// One graph as seen by one thread: all tables over the shared memory. State of the graph lives in
// shared memory only; a store holds nothing but caches.

import { type InstanceSlots, threadSlots } from "../../base/instance-slots.js";
import { Enlargement } from "../memory/enlargement.js";
import { newIdentity, setIdentity } from "../memory/graph-identity.js";
import {
  allocateGraphMemory,
  GraphMemory,
  type SharedGraphMemory,
  type SharedLogMemory,
  type StorageLocation,
} from "../memory/graph-memory.js";
import { Header, type MemorySize, type ReadonlyBit } from "../memory/layout.js";
import type { RelocatedMemories } from "../memory/safepoint.js";
import { SeqlockReader } from "../memory/seqlock-reader.js";
import { readSettledCount } from "../memory/settled-count.js";
import { nowSeconds } from "../memory/time.js";
import { Writer } from "../memory/writer.js";
import { TextTable } from "../texts/text-table.js";
import { VectorFields } from "../vectors/vector-fields.js";
import type { VectorTable } from "../vectors/vector-table.js";
import { ArcRuns } from "./arc-runs.js";
import { KEYS, RELATIONSHIPS, TYPES } from "./code-ranges.js";
import { Constraints } from "./constraints.js";
import { ContentDigest, DIGEST_VERSION } from "./content-digest.js";
import { ExpiryHeap } from "./expiry-heap.js";
import { ExternalValues } from "./external-values.js";
import { LockTable } from "./lock-table.js";
import { NameEnumeration } from "./names.js";
import { makeOperation, type Operation } from "./operation.js";
import { PropertyIndexes } from "./property-indexes.js";
import { PropertyTable } from "./property-table.js";
import { QueryMeter } from "./query-meter.js";
import { StringPool } from "./string-pool.js";
import { TypeLists } from "./type-lists.js";
import { VertexIds } from "./vertex-ids.js";
import { VertexTable } from "./vertex-table.js";

export interface GraphStoreOptions {
  readonly log?: SharedLogMemory | null;
  /** Default: a new identity. */
  readonly identity?: string;
  readonly values?: StorageLocation | null;
  /** Default: auto. */
  readonly size?: MemorySize | undefined;
}

export class GraphStore {
  readonly memory: GraphMemory;
  readonly writer: Writer;
  readonly reader: SeqlockReader;
  readonly vertices: VertexTable;
  readonly ids: VertexIds;
  readonly outArcs: ArcRuns;
  readonly inArcs: ArcRuns;
  readonly strings: StringPool;
  readonly relationships: NameEnumeration;
  readonly types: NameEnumeration;
  readonly keys: NameEnumeration;
  readonly typeLists: TypeLists;
  readonly indexes: PropertyIndexes;
  readonly values: ExternalValues;
  readonly texts: TextTable;
  readonly constraints: Constraints;
  readonly properties: PropertyTable;
  readonly vectorFields: VectorFields;
  readonly digest: ContentDigest;
  readonly expiry: ExpiryHeap;
  readonly locks: LockTable;
  readonly meter: QueryMeter;
  /** Slots of the system, whose owners alone change a vertex; null: the graph is not divided. */
  readonly slots: InstanceSlots | null;
  /** Reused for every change; see operation.ts. */
  readonly operation: Operation = makeOperation();
  /** False while this thread applies what another instance or an earlier process has accepted. */
  checksOwner = true;
  /** True while this thread runs a function that may only read. */
  isViewing = false;
  readonly #enlargement: Enlargement;

  /** @param thread 1 to 255, unique among the threads of the process */
  private constructor(memory: GraphMemory, thread: number) {
    this.memory = memory;
    this.writer = new Writer(memory, thread);
    this.reader = new SeqlockReader(this.writer);
    this.digest = new ContentDigest(this.writer);
    this.vertices = new VertexTable(this.writer);
    this.ids = new VertexIds(this.writer, this.reader, this.vertices);
    this.outArcs = new ArcRuns(this.writer, 0);
    this.inArcs = new ArcRuns(this.writer, 1);
    this.strings = new StringPool(this.writer, this.reader);
    this.relationships = new NameEnumeration(this.writer, this.strings, RELATIONSHIPS);
    this.types = new NameEnumeration(this.writer, this.strings, TYPES, (type) =>
      this.constraints.usesType(type),
    );
    this.keys = new NameEnumeration(
      this.writer,
      this.strings,
      KEYS,
      (key) => this.constraints.usesKey(key) || this.vectorFields.usesKey(key),
    );
    this.typeLists = new TypeLists(this.writer);
    this.indexes = new PropertyIndexes(this.writer, this.strings);
    this.values = new ExternalValues(memory.values);
    this.texts = new TextTable(this.writer, this.reader);
    this.constraints = new Constraints(this);
    this.properties = new PropertyTable(this);
    this.vectorFields = new VectorFields(this.writer, this.reader, this.digest);
    this.expiry = new ExpiryHeap(this.writer);
    this.locks = new LockTable(this.writer);
    this.meter = new QueryMeter(memory);
    const slots = threadSlots();
    this.slots = slots?.hasGraph(memory.name) === true ? slots : null;
    this.#enlargement = new Enlargement(memory, thread, (memories) => this.move(memories));
    this.writer.onEnlarging = () => this.#enlargement.run();
    Atomics.add(memory.header.ints, Header.Stores, 1);
  }

  /** Creates a new, empty graph. */
  static create(name: string, thread: number, options: GraphStoreOptions = {}): GraphStore {
    const { log = null, identity = newIdentity(), values = null, size = "auto" } = options;
    const memory = new GraphMemory(allocateGraphMemory(name, log, values, size));
    const store = new GraphStore(memory, thread);
    const { writer } = store;
    const format = (): void => {
      writer.put(memory.header, Header.CreatedAt, nowSeconds());
      setIdentity(memory, identity);
      const version = store.digest.isMaintained ? DIGEST_VERSION : 0;
      writer.put(memory.header, Header.DigestVersion, version);
      writer.put(memory.header, Header.IsSmall, size === "small" ? 1 : 0);
      store.format();
    };
    writer.runUnshared(() => writer.mutate(format));
    return store;
  }

  /** Attaches to a graph that another thread created or loaded. */
  static attach(share: SharedGraphMemory, thread: number): GraphStore {
    return new GraphStore(new GraphMemory(share), thread);
  }

  /** Initializes empty tables. Requires a mutation, and allocators as in new memory. */
  format(): void {
    const { writer, memory } = this;
    writer.put(memory.header, Header.HandleEnd, 1);
    this.indexes.format();
    this.constraints.format();
    this.strings.format();
    this.ids.format();
    this.relationships.format();
    this.types.format();
    this.keys.format();
    this.typeLists.format();
    this.expiry.format();
  }

  /**
   * Switches to relocated memory.
   * @returns bytes of the previous memory
   */
  move(memories: RelocatedMemories): number {
    const bytes = this.memory.move(memories);
    this.vertices.refreshViews();
    this.vectorFields.refresh();
    return bytes;
  }

  /** Enlarges arenas if requested. Call it before a query, unless one is running. */
  enlargeIfRequested(): void {
    if (this.memory.header.words[Header.Enlarging] !== 0 && !this.writer.isWriting) {
      this.#enlargement.run();
    }
  }

  get name(): string {
    return this.memory.name;
  }

  /** The vectors without a name. */
  get vectors(): VectorTable {
    return this.vectorFields.unnamed;
  }

  get share(): SharedGraphMemory {
    return this.memory.share;
  }

  /** Number of vertices, including virtual ones. */
  get order(): number {
    return this.memory.header.words[Header.Order]!;
  }

  /** Number of arcs. */
  get size(): number {
    return this.#wide(Header.Size);
  }

  /** Number of properties of all vertices. */
  get propertyCount(): number {
    return this.memory.header.words[Header.PropertyCount]!;
  }

  /** Mutations since creation. */
  get operationCount(): number {
    return this.#wide(Header.OperationCount);
  }

  /** Operation count at which a code last lost its name. */
  get namesLostCount(): number {
    return this.#wide(Header.NamesLost);
  }

  /** See `readSettledCount`. */
  get settledCount(): number {
    return readSettledCount(this.memory.header);
  }

  /** Second of creation. */
  get createdAt(): number {
    return this.memory.header.words[Header.CreatedAt]!;
  }

  get isReadonly(): boolean {
    const { header, log } = this.memory;
    return header.words[Header.Readonly] !== 0 || log?.clock.refusesChanges === true;
  }

  /**
   * Sets or clears a reason for being read-only in this process; not an operation, so neither
   * replicated nor, except `ReadonlyBy.Graph`, stored.
   */
  setReadonlyBy(reason: ReadonlyBit, isReadonly: boolean): void {
    const { writer } = this;
    const { header } = this.memory;
    writer.mutate(() => {
      const others = header.words[Header.Readonly]! & ~reason;
      writer.put(header, Header.Readonly, others | (isReadonly ? reason : 0));
    });
  }

  /** Returns the type name of a vertex, consistent even while its code is reassigned. */
  typeNameOf(vertex: number): string {
    const { ints } = this.memory.header;
    for (;;) {
      const seen = Atomics.load(ints, Header.NameReuses);
      const name = this.types.nameOf(this.vertices.typeOf(vertex));
      if (Atomics.load(ints, Header.NameReuses) === seen) return name;
    }
  }

  #wide(word: number): number {
    const { words } = this.memory.header;
    return words[word]! + words[word + 1]! * 2 ** 32;
  }
}
