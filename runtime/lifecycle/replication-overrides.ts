// What a program or an operator has changed of replication while it runs: the thread that does it
// may die, and the next one knows the configuration only.

import type { Control } from "../interconnect/control.js";
import type { ThrottleUnit } from "../interconnect/flow-control.js";

export class ReplicationOverrides {
  /** All subscribers as they were given, by what tells them apart; null: as configured. */
  #attached: Map<string, string> | null = null;
  readonly #configured: readonly string[];
  /** The port; 0: none; null: as configured. */
  #bound: number | null = null;
  readonly #suspended = new Set<"input" | "output">();
  readonly #throttles = new Map<ThrottleUnit, number>();

  /** @param attach the configured subscribers, streams among them */
  constructor(attach: readonly string[]) {
    this.#configured = attach;
  }

  /** It was done. */
  note(control: Control): void {
    switch (control.do) {
      case "attach":
        this.#subscribers().set(keyOf(control.uri), control.uri);
        break;
      case "detach":
        if (control.uri === null) this.#subscribers().clear();
        else this.#subscribers().delete(keyOf(control.uri));
        break;
      case "bind":
        this.#bound = control.port;
        break;
      case "unbind":
        this.#bound = 0;
        break;
      case "promote":
        // The root says so itself; the configured port tells others of it.
        if (this.#bound !== 0) this.#bound = null;
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

  /** What has to be done again, in this order. */
  all(): Control[] {
    const suspended = [...this.#suspended].map((what) => ({ do: "suspend", what }) as const);
    const throttles = [...this.#throttles].map(
      ([unit, rate]) => ({ do: "throttle", unit, rate }) as const,
    );
    const bound: Control[] = [];
    if (this.#bound === 0) bound.push({ do: "unbind" });
    else if (this.#bound !== null) bound.push({ do: "bind", port: this.#bound });
    const attached: Control[] = [];
    if (this.#attached !== null) {
      attached.push({ do: "detach", uri: null });
      for (const uri of this.#attached.values()) attached.push({ do: "attach", uri });
    }
    return [...suspended, ...throttles, ...bound, ...attached];
  }

  #subscribers(): Map<string, string> {
    this.#attached ??= new Map(this.#configured.map((given) => [keyOf(given), given]));
    return this.#attached;
  }
}

/** The same with or without the scheme of an instance, options of a stream, the root of a dump. */
function keyOf(given: string): string {
  if (given.startsWith("file:")) return given.replace(/^file:.*\//, "file:");
  return given.replace(/^svc:\/\//, "").replace(/\?.*$|\/$/, "");
}
