// Entry "svc-server/plugins": names that plugins import, without graphs and servers, a tenth of the
// package. The bundle of plugins that need no others imports it, see compiler/own-imports.ts. Their
// types are read from it as well, see compiler/read/resolve-imports.ts.

export {
  ArgumentError,
  PluginError,
  RequestError,
  ResponseError,
  SvcError,
} from "./base/errors.js";
export type { Float } from "./base/float.js";
export * from "./base/sort-constants.js";
export type { BeforeHook } from "./plugin/contract/plugin-entry.js";
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
