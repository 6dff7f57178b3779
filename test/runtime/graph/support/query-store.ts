// Stores for query tests, filled through the operations alone, without changes or sessions.

import { NEVER } from "../../../../runtime/graph/memory/layout.js";
import { nowSeconds } from "../../../../runtime/graph/memory/time.js";
import { M_STAT } from "../../../../runtime/graph/model/constants.js";
import { MODIFIERS, modifierCode, valueBits } from "../../../../runtime/graph/model/modifiers.js";
import { apply } from "../../../../runtime/graph/operations/apply.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { OperationCode } from "../../../../runtime/graph/store/operation.js";
import type { PropertyValue } from "../../../../runtime/graph/store/property-values.js";
import { quantize } from "../../../../runtime/graph/vectors/vector-parts.js";

const THREAD = 151;

export interface NewVertex {
  readonly type?: string;
  readonly expiresAt?: number;
  readonly properties?: { readonly [key: string]: PropertyValue };
  readonly vector?: readonly number[] | undefined;
}

export class QueryStore {
  readonly store = GraphStore.create("test", THREAD);

  /** Creates a real vertex; returns its handle. */
  vertex(id: string, content: NewVertex = {}): number {
    const { type, expiresAt = NEVER, properties = {}, vector = [] } = content;
    const { store } = this;
    return store.writer.mutate(() => {
      const name = type === undefined ? 0 : store.types.define(type);
      const startSeconds = nowSeconds();
      const created = { vertex: store.ids.find(id), id, name, at: startSeconds };
      apply(store, { ...store.operation, ...created, code: OperationCode.CreateVertex });
      const vertex = store.ids.find(id);
      const expiry = { vertex, expiresAt, at: startSeconds };
      apply(store, { ...store.operation, ...expiry, code: OperationCode.SetExpiry });
      for (const [key, property] of Object.entries(properties)) {
        const set = { vertex, name: store.keys.define(key), property, at: startSeconds };
        apply(store, { ...store.operation, ...set, code: OperationCode.SetProperty });
      }
      if (vector.length > 0) {
        const set = { vertex, vector: quantize(vector, "vector"), at: startSeconds };
        apply(store, { ...store.operation, ...set, code: OperationCode.SetVector });
      }
      return vertex;
    });
  }

  /** Creates an arc, and its ends if they are missing. */
  arc(
    initial: string,
    [relationship, modifiers = M_STAT, value = 1]: readonly [string, number?, number?],
    terminal: string,
    flags = 0,
  ): void {
    const { store } = this;
    const modifier = modifierCode(modifiers);
    store.writer.mutate(() => {
      apply(store, {
        ...store.operation,
        ...{ vertex: store.ids.find(initial), id: initial },
        ...{ terminal: store.ids.find(terminal), terminalId: terminal },
        name: store.relationships.define(relationship),
        ...{ modifier, flags, at: nowSeconds() },
        value: valueBits(MODIFIERS[modifier]!.kind, value),
        code: OperationCode.Connect,
      });
    });
  }
}
