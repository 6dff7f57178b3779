// The public library: what plugins import, and what runs a server inside another program.

export type { ErrorCode } from "./base/error-code.js";
export { ERROR_CODES } from "./base/error-codes.js";
export * from "./graph/api/public-names.js";
export { type ApiKeysOptions, apiKeys } from "./http/auth/api-keys.js";
export type { AuthHandler } from "./http/auth/auth-handler.js";
export { type JwtClaims, type JwtOptions, jwt } from "./http/auth/jwt.js";
export { type MtlsOptions, mtls } from "./http/auth/mtls.js";
export type { ClientCertificate, RequestHead } from "./http/auth/request-head.js";
export type { RunOptions } from "./lifecycle/run-server.js";
export { type InitializeOptions, type StartOptions, system } from "./lifecycle/system.js";
export type { ServerMetrics } from "./metrics/server-metrics.js";
export type { StartContext } from "./plugin/contract/lifecycle.js";
export type { PluginDescription, PluginEntry } from "./plugin/contract/plugin-entry.js";
export type { AddPluginOptions } from "./plugin/register/add-plugin.js";
export { loadPlugins } from "./plugin/register/load-plugins.js";
export * from "./plugins.js";
