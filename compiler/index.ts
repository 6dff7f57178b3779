// Public entry "svc-server/compiler": building projects from a program. Loading it is cheap; what
// takes long is loaded when a build begins.

export { type BuildOptions, buildProject, checkProject } from "./build.js";
export type { BuildResult, BuildTimings } from "./build-result.js";
export { loadConfig } from "./config/config.js";
export type { Diagnostic } from "./diagnostics/diagnostic.js";
export { renderDiagnostics } from "./diagnostics/render.js";
export { type Compiled, ProjectBuilder, type Rebuild } from "./project-builder.js";
export type * from "./record/plugin-record.js";
export type * from "./record/type-shape.js";
