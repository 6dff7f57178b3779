// The public library: what plugins import, and what runs a server inside another program.

export type { ErrorCode } from "./base/error-code.js";
export { ERROR_CODES } from "./base/error-codes.js";
export {
  ArgumentError,
  PluginError,
  RequestError,
  ResponseError,
  SvcError,
} from "./base/errors.js";
export type { Float } from "./base/float.js";
export * from "./base/sort-constants.js";
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
export type {
  BeforeHook,
  PluginDescription,
  PluginEntry,
} from "./plugin/contract/plugin-entry.js";
export type { PluginFunction, PostFunction } from "./plugin/contract/plugin-function.js";
export type {
  ExclusiveMaximum,
  ExclusiveMinimum,
  Format,
  MaxItems,
  Maximum,
  MaxLength,
  MinItems,
  Minimum,
  MinLength,
  MultipleOf,
  Pattern,
  UniqueItems,
} from "./plugin/contract/types.js";
export { bytes, float, int, json, str } from "./plugin/contract/types.js";
export type { AddPluginOptions } from "./plugin/register/add-plugin.js";
export { loadPlugins } from "./plugin/register/load-plugins.js";
export { type PluginOptions, plugin } from "./plugin/register/plugin.js";
export type { App } from "./plugin/request/app.js";
export type { Job } from "./plugin/request/job.js";
export { PluginRequest } from "./plugin/request/plugin-request.js";
export type { Principal } from "./plugin/request/principal.js";
export { RequestData } from "./plugin/request/request-data.js";
export { UploadedFile } from "./plugin/request/uploaded-file.js";
export { HttpError } from "./plugin/response/http-error.js";
export { HttpResponse, type HttpResponseOptions } from "./plugin/response/http-response.js";
export { Cursor, Page } from "./plugin/response/page.js";
export { PluginResponse } from "./plugin/response/plugin-response.js";
export { type RateLimitOptions, rateLimit } from "./plugin/response/rate-limit.js";
export type { StandardSchema } from "./plugin/response/schema-issues.js";
export { ValidationError, validate } from "./plugin/response/validate.js";
