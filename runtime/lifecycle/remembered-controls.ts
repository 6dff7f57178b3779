// What a program or an operator has changed of replication while it runs: the thread that does it
// may die, and the next one knows the configuration only.

import type { Control } from "../interconnect/control.js";
import type { ThrottleUnit } from "../interconnect/gate.js";

export class RememberedControls {
  /** URIs of all subscribers; null: as configured. */
  #attached: Set<string> | null = null;
  readonly #configured: readonly string[];
  /** The port; 0: none; null: as configured. */
  #bound: number | null = null;
  readonly #suspended = new Set<"input" | "output">();
  readonly #throttles = new Map<ThrottleUnit, number>();

  /** @param attach `host:port` of the configured subscribers */
  constructor(attach: readonly string[]) {
    this.#configured = attach.map((address) => `svc://${address}`);
  }

  /** It was done. */
  note(control: Control): void {
    switch (control.do) {
      case "attach":
        this.#subscribers().add(uriOf(control.uri));
        break;
      case "detach":
        if (control.uri === null) this.#subscribers().clear();
        else this.#subscribers().delete(uriOf(control.uri));
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
      for (const uri of this.#attached) attached.push({ do: "attach", uri });
    }
    return [...suspended, ...throttles, ...bound, ...attached];
  }

  #subscribers(): Set<string> {
    this.#attached ??= new Set(this.#configured);
    return this.#attached;
  }
}

/** As it is compared: with the scheme, and nothing behind the port. */
function uriOf(uri: string): string {
  const plain = uri.replace(/\/$/, "");
  return plain.startsWith("svc://") ? plain : `svc://${plain}`;
}
