// Describes the source files of a program for `stored-readings.ts`: the imports of each file, and
// the files that affect all others.

import { dirname } from "node:path";
import type { ts } from "ts-morph";
import { hashContent } from "../../runtime/settings/manifest.js";
import { isInput } from "./dependencies.js";
import { isGlobal } from "./import-graph.js";
import { absolutePath } from "./paths.js";
import type { ReadContext } from "./read-context.js";
import { fileState, findReachable } from "./reading-plan.js";
import type { StoredFile } from "./stored-readings.js";
import { statedLimits } from "./stray-limits.js";

type Resolutions<T> = (callback: (resolution: T) => void, file: ts.SourceFile) => void;
type Types = ts.ResolvedTypeReferenceDirectiveWithFailedLookupLocations;

/** Methods of a program that `ts.Program` does not declare. */
interface ResolutionVisitors {
  readonly forEachResolvedModule: Resolutions<ts.ResolvedModuleWithFailedLookupLocations>;
  readonly forEachResolvedTypeReferenceDirective: Resolutions<Types>;
}

/**
 * Returns the files of a program except TypeScript's own. Their readings are still null.
 *
 * @param roots files that the program was opened with
 * @param plugins plugin files
 * @param ownFiles plugin files, and modules of the project that they import
 * @param findHooks returns the modules of the hooks that a file names
 */
export function describeProgram(
  context: ReadContext,
  roots: readonly string[],
  plugins: ReadonlySet<string>,
  ownFiles: ReadonlySet<string>,
  findHooks: (path: string) => readonly string[],
): Map<string, StoredFile> {
  const { program, projectDir } = context;
  const files = new Map<string, StoredFile>();
  for (const file of program.getSourceFiles()) {
    if (program.isSourceFileDefaultLibrary(file)) continue;
    const { fileName } = file;
    files.set(fileName, {
      state: fileState(hashContent(file.text), plugins.has(fileName)),
      imports: listImports(program, file, findHooks(fileName)),
      isGlobal: isGlobal(file),
      isImplied: false,
      isInput: isInput(projectDir, fileName),
      isOwn: ownFiles.has(fileName),
      limits: ownFiles.has(fileName) ? statedLimits(context, file) : [],
      reads: [],
      isDoubtful: false,
      reading: null,
    });
  }
  const reached = findReachable(files, roots);
  for (const [path, file] of files) {
    if (!reached.has(path)) files.set(path, { ...file, isImplied: true });
  }
  return files;
}

function listImports(program: ts.Program, file: ts.SourceFile, hooks: readonly string[]): string[] {
  const found = new Set<string>();
  const add = (path: string | undefined): void => {
    const target = path === undefined ? undefined : program.getSourceFile(path);
    if (target && !program.isSourceFileDefaultLibrary(target)) found.add(target.fileName);
  };
  const resolved = program as ts.Program & ResolutionVisitors;
  resolved.forEachResolvedModule(
    ({ resolvedModule }) => add(resolvedModule?.resolvedFileName),
    file,
  );
  resolved.forEachResolvedTypeReferenceDirective(({ resolvedTypeReferenceDirective }) => {
    add(resolvedTypeReferenceDirective?.resolvedFileName);
  }, file);
  for (const hook of hooks) add(hook);
  for (const { fileName } of file.referencedFiles) {
    add(absolutePath(dirname(file.fileName), fileName));
  }
  return [...found].sort();
}
