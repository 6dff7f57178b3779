// Global declarations (`"types": ["node"]`) cost the reader more than all else: @types/node is
// 2 MB, and hardly a plugin's signature mentions it. So they are withheld at first. Whatever they
// would have declared is any without them; where a type that counts is any, they come back.

import type { Project } from "ts-morph";

/** Takes the `types` out of the project's options and returns them. */
export function excludeGlobalTypes(project: Project): readonly string[] {
  const { types = [] } = project.getCompilerOptions();
  if (types.length > 0) project.compilerOptions.set({ types: [] });
  return types;
}

export function restoreGlobalTypes(project: Project, types: readonly string[]): void {
  project.compilerOptions.set({ types: [...types] });
}
