// Global declarations (`"types": ["node"]`) dominate the reader's time: @types/node is 2 MB, and
// few plugin signatures mention it. They are excluded at first. Types they would declare then read
// as any; if such a type matters, they are restored.

import type { Project } from "ts-morph";

/** Removes `types` from the project's options and returns it. */
export function excludeGlobalTypes(project: Project): readonly string[] {
  const { types = [] } = project.getCompilerOptions();
  if (types.length > 0) project.compilerOptions.set({ types: [] });
  return types;
}

export function restoreGlobalTypes(project: Project, types: readonly string[]): void {
  project.compilerOptions.set({ types: [...types] });
}
