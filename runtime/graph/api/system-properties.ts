// Properties of the system as a whole: every thread sees them, and they are stored with the graphs
// (http-interface, "Graph status and queries"). Works in plugins as well as in a program that uses
// the library.

import { SYSTEM_GRAPH, SYSTEM_VERTEX, systemProperties } from "../manager/system-graph.js";
import { threadGraphs } from "../manager/this-thread.js";
import type { PropertyValue } from "../store/property-values.js";
import { Graph } from "./graph.js";
import type { Vertex } from "./vertex.js";

const TIMEOUT_MS = 5000;

export class SystemProperties {
  /**
   * Sets a property of the system.
   * @throws ValueError, TypeError as `Vertex.setProperty`; AccessError
   */
  setProperty(key: string, value: PropertyValue = null): void {
    this.setProperties({ [key]: value });
  }

  /**
   * Sets properties of the system, all or none.
   * @throws ValueError, TypeError as `Vertex.setProperty`; AccessError
   */
  setProperties(properties: { readonly [key: string]: PropertyValue }): void {
    const graph = new Graph(threadGraphs().system());
    graph.createVertex(SYSTEM_VERTEX, { properties, timeout: TIMEOUT_MS });
  }

  getProperty(key: string, fallback: unknown = null): unknown {
    const properties = this.getProperties();
    return Object.hasOwn(properties, key) ? properties[key] : fallback;
  }

  hasProperty(key: string): boolean {
    return Object.hasOwn(this.getProperties(), key);
  }

  /** All properties of the system. */
  getProperties(): Record<string, PropertyValue> {
    const access = threadGraphs().find(SYSTEM_GRAPH);
    return access === null ? {} : systemProperties(access.store);
  }

  numProperties(): number {
    return Object.keys(this.getProperties()).length;
  }

  /** @throws LookupError if there is none of that name; AccessError */
  removeProperty(key: string): void {
    changeVertex((vertex) => vertex.removeProperty(key));
  }

  /**
   * Removes all properties of the system; returns how many there were.
   * @throws AccessError
   */
  removeProperties(): number {
    return changeVertex((vertex) => vertex.removeProperties());
  }
}

function changeVertex<T>(change: (vertex: Vertex) => T): T {
  const vertex = new Graph(threadGraphs().system()).openVertex(SYSTEM_VERTEX, "w", TIMEOUT_MS);
  try {
    return change(vertex);
  } finally {
    vertex.close();
  }
}
