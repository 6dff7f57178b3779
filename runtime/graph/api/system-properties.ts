// Properties of the whole system: shared by all threads and stored with the graphs (http-interface,
// "Graph status and queries"). Available in plugins and in programs that use the library.

import { SYSTEM_GRAPH, SYSTEM_VERTEX, systemProperties } from "../manager/system-graph.js";
import { threadGraphs } from "../manager/thread-graphs.js";
import { refuseFurther } from "../model/check-argument.js";
import type { PropertyValue } from "../store/property-values.js";
import { Graph } from "./graph.js";
import type { Vertex } from "./vertex.js";

const TIMEOUT_MS = 5000;

export class SystemProperties {
  /**
   * Sets a property of the system.
   * @throws ValueError, TypeError as `Vertex.setProperty`; AccessError
   */
  setProperty(key: string, value: PropertyValue = null, ...further: never[]): void {
    refuseFurther(further, "value");
    this.setProperties({ [key]: value });
  }

  /**
   * Sets properties of the system atomically.
   * @throws ValueError, TypeError as `Vertex.setProperty`; AccessError
   */
  setProperties(properties: { readonly [key: string]: PropertyValue }, ...further: never[]): void {
    refuseFurther(further, "properties");
    const graph = new Graph(threadGraphs().system());
    graph.createVertex(SYSTEM_VERTEX, { properties, timeout: TIMEOUT_MS });
  }

  getProperty(key: string, fallback: unknown = null, ...further: never[]): unknown {
    refuseFurther(further, "fallback");
    const properties = this.getProperties();
    return Object.hasOwn(properties, key) ? properties[key] : fallback;
  }

  hasProperty(key: string, ...further: never[]): boolean {
    refuseFurther(further, "key");
    return Object.hasOwn(this.getProperties(), key);
  }

  /** Returns all properties of the system. */
  getProperties(): Record<string, PropertyValue> {
    const access = threadGraphs().find(SYSTEM_GRAPH);
    return access === null ? {} : systemProperties(access.store);
  }

  numProperties(): number {
    return Object.keys(this.getProperties()).length;
  }

  /** @throws LookupError no such property; AccessError */
  removeProperty(key: string, ...further: never[]): void {
    refuseFurther(further, "key");
    changeVertex((vertex) => vertex.removeProperty(key));
  }

  /**
   * Removes all properties of the system; returns their number.
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
