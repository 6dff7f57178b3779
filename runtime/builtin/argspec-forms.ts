// Responses of `/svc/builtin/argspec?format=…`, generated from the argspec of the current plugins.
// Never runs in the IO thread: loading a generator takes up to 100 ms, and a large service as long
// again. Responses for the whole service are cached until its plugins change.

import type { Argspec, ArgspecService } from "../../argspec/argspec.js";
import { type ArgspecForm, argspecForm, findPlugin } from "../../argspec/forms.js";
import { ParameterError } from "../base/errors.js";
import { parseShared, type SharedArgspec } from "../plugin/contract/shared-argspec.js";

/** The current argspec of a server. */
export interface LiveArgspec {
  readonly service: ArgspecService;
  readonly shared: SharedArgspec;
}

export class ArgspecForms {
  #live: LiveArgspec | null = null;
  /** The argspec of the whole service, parsed on demand. */
  #parsed: Argspec | null = null;
  readonly #forms = new Map<ArgspecForm, Promise<unknown>>();

  set(live: LiveArgspec): void {
    this.#live = live;
    this.#parsed = null;
    this.#forms.clear();
  }

  /**
   * @param plugin name; null: the whole service
   * @throws ParameterError synchronously, for an unknown name
   */
  make(form: ArgspecForm, plugin: string | null): Promise<unknown> {
    this.#parsed ??= this.#parse();
    if (plugin !== null) return argspecForm(form, onlyPlugin(this.#parsed, plugin));
    const cached = this.#forms.get(form) ?? argspecForm(form, this.#parsed);
    this.#forms.set(form, cached);
    return cached;
  }

  #parse(): Argspec {
    const { service, shared } = this.#live!;
    const built = parseShared(shared);
    return { ...built, service: { ...built.service, ...service } };
  }
}

function onlyPlugin(whole: Argspec, name: string): Argspec {
  const spec = findPlugin(whole, name);
  if (spec === null) throw new ParameterError("LookupError", `undefined plugin: ${name}`);
  return spec;
}
