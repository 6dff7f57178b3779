// A function or value that a module of the project exports.

export interface ModuleExport {
  /** Path relative to the project, with `/`. */
  readonly module: string;
  /** Export name, or class and static method. */
  readonly exportPath: string;
}
