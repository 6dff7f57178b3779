// A graph whose changes are recorded, and another one that is made again of the records.

import { apply } from "../../../../runtime/graph/operations/apply.js";
import { decodeOperation } from "../../../../runtime/graph/operations/encode-operation.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { TEST_THREAD } from "./make-graph.js";

export class RecordedGraph {
  readonly store = GraphStore.make("test", TEST_THREAD);
  readonly records: Uint8Array[] = [];

  constructor() {
    this.record(this.store);
  }

  /** Records what a thread does, too. */
  record(store: GraphStore): void {
    store.recorder = (record) => this.records.push(record);
  }

  /** Does to another graph what was recorded since the last time. */
  replayTo(copy: GraphStore): void {
    for (const record of this.records.splice(0)) {
      copy.writer.mutate(() => {
        decodeOperation(copy, record, copy.operation);
        apply(copy, copy.operation);
      });
    }
  }
}
