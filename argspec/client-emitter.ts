// The client generator of a language. Generators are pure: they use no files and no network, and
// their texts do not depend on where the argspec came from.

import type { Argspec } from "./argspec.js";

/** The requested package; null: as the service. */
export interface PackageOrder {
  readonly name: string | null;
  readonly version: string | null;
}

export interface ClientEmitter {
  /** Names and versions that the package manager of the language accepts. */
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
