// The change feed of a graph.

import { PullIterator } from "../../base/pull-iterator.js";
import type { ChangeFilter, ChangeKind, GraphChange } from "../log/graph-change.js";
import { refuseFurther } from "../model/check-argument.js";
import { ChangeReader, readChangePosition } from "./change-feed.js";
import { GraphConstraints } from "./graph-constraints.js";

export interface ChangesOptions<K extends ChangeKind = ChangeKind> {
  /** `position` of the last known change; default: only changes from now on. */
  readonly since?: string | undefined;
  readonly filter?: (ChangeFilter & { readonly kinds?: readonly K[] | undefined }) | undefined;
}

type ChangeOf<K extends ChangeKind> = Extract<GraphChange, { readonly kind: K }>;

export class GraphFeed extends GraphConstraints {
  /**
   * Yields the changes of the graph in the order of their commits, as soon as they are durable,
   * until the loop is left, or until the request is over that the graph was passed to. Each has the
   * `position` from which to continue.
   * @throws SvcError SVC2416 if the graph is not logged; PositionError, TypeError, ValueError; when
   *   iterated PositionExpiredError, AccessError
   */
  changes<const K extends ChangeKind = ChangeKind>(
    options: ChangesOptions<K> = {},
    ...further: never[]
  ): AsyncIterableIterator<Extract<GraphChange, { readonly kind: K }>, undefined, undefined> {
    refuseFurther(further, "options");
    const { access } = this;
    // A generator that loops without a `yield` would not notice that its client has disconnected.
    let iterator: PullIterator<ChangeOf<K>> | null = null;
    const stopListening = access.session.onEnd(() => void iterator?.return());
    const reader = new ChangeReader(access, options);
    iterator = new PullIterator<ChangeOf<K>>({
      pull: () => reader.pull() as ChangeOf<K> | null,
      wait: () => reader.wait(),
      close: () => {
        stopListening();
        reader.close();
      },
    });
    return iterator;
  }

  /**
   * Returns the position after all changes so far. To follow a graph from its contents, take the
   * position first, then read the graph.
   * @throws SvcError SVC2416 if the graph is not logged
   */
  changePosition(...further: never[]): string {
    refuseFurther(further);
    return readChangePosition(this.access);
  }
}
