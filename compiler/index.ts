// Public entry point "svc-server/compiler": builds projects from a program. It is cheap to load;
// slow modules are loaded when a build starts.

export { type BuildOptions, buildProject, checkProject } from "./build.js";
export type { BuildResult, BuildTimings } from "./build-result.js";
export { loadConfig } from "./config/config.js";
export type { Diagnostic } from "./diagnostics/diagnostic.js";
export { renderDiagnostics } from "./diagnostics/render.js";
export { type Compiled, ProjectBuilder, type Rebuild } from "./project-builder.js";
export type * from "./record/module-export.js";
export type * from "./record/plugin-record.js";
export type * from "./record/type-shape.js";
