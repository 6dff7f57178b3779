// Replication settings that were changed at run time. They are applied again when the interconnect
// thread is replaced, because a new thread starts with the configuration.

import type { Control } from "../interconnect/control.js";
import type { ThrottleUnit } from "../interconnect/flow-control.js";

export class ReplicationOverrides {
  /** Subscribers by their normalized URI; null: as configured. */
  #attached: Map<string, string> | null = null;
  readonly #configured: readonly string[];
  /** Port; 0: none; null: as configured. */
  #port: number | null = null;
  readonly #suspended = new Set<"input" | "output">();
  readonly #throttles = new Map<ThrottleUnit, number>();

  /** @param attach configured subscribers, including streams */
  constructor(attach: readonly string[]) {
    this.#configured = attach;
  }

  /** Records a successful control operation. */
  note(control: Control): void {
    switch (control.do) {
      case "attach":
        this.#subscribers().set(normalizeUri(control.uri), control.uri);
        break;
      case "detach":
        if (control.uri === null) this.#subscribers().clear();
        else this.#subscribers().delete(normalizeUri(control.uri));
        break;
      case "bind":
        this.#port = control.port;
        break;
      case "unbind":
        this.#port = 0;
        break;
      case "promote":
        // The data folder records the promotion; the configured port announces it.
        if (this.#port !== 0) this.#port = null;
        break;
      case "suspend":
        this.#suspended.add(control.what);
        break;
      case "resume":
        this.#suspended.delete(control.what);
        break;
      case "throttle":
        if (control.rate === null) this.#throttles.delete(control.unit);
        else this.#throttles.set(control.unit, control.rate);
    }
  }

  /** Returns the operations that restore the changes, in order. */
  all(): Control[] {
    const suspended = [...this.#suspended].map((what) => ({ do: "suspend", what }) as const);
    const throttles = [...this.#throttles].map(
      ([unit, rate]) => ({ do: "throttle", unit, rate }) as const,
    );
    const bound: Control[] = [];
    if (this.#port === 0) bound.push({ do: "unbind" });
    else if (this.#port !== null) bound.push({ do: "bind", port: this.#port });
    const attached: Control[] = [];
    if (this.#attached !== null) {
      attached.push({ do: "detach", uri: null });
      for (const uri of this.#attached.values()) attached.push({ do: "attach", uri });
    }
    return [...suspended, ...throttles, ...bound, ...attached];
  }

  #subscribers(): Map<string, string> {
    this.#attached ??= new Map(this.#configured.map((uri) => [normalizeUri(uri), uri]));
    return this.#attached;
  }
}

/**
 * Returns a key that ignores the scheme of an instance, options of a stream and the root of a dump.
 */
function normalizeUri(uri: string): string {
  if (uri.startsWith("file:")) return uri.replace(/^file:.*\//, "file:");
  return uri.replace(/^svc:\/\//, "").replace(/\?.*$|\/$/, "");
}
