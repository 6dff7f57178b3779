// The interface of client generators, one for each language. Generators are pure: they use neither
// files nor the network, and their output depends only on the argspec.

import type { Argspec } from "./argspec.js";

/** The requested package; null: derived from the service. */
export interface PackageOrder {
  readonly name: string | null;
  readonly version: string | null;
}

export interface ClientEmitter {
  /** Validates names and versions for the language's package manager. */
  readonly packageName: RegExp;
  readonly packageVersion: RegExp;
  /** True if a client without a package name is a module without a version. */
  readonly isModuleWithoutName: boolean;
  /** Files of `dist/client/` with the code that all clients of the language share. */
  readonly runtimeFiles: readonly string[];
  /**
   * Returns the texts of the client's files by name, in listing order.
   * @param runtime contents of `runtimeFiles`, in their order
   */
  emit(
    argspec: Argspec,
    runtime: readonly string[],
    order: PackageOrder,
  ): Promise<ReadonlyMap<string, string>>;
}
