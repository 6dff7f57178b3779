// Entry "svc-server/plugins": names that plugins import, without graphs and servers, a tenth of the
// package. The bundle of plugins that need no others imports it, see compiler/own-imports.ts.

export {
  ArgumentError,
  PluginError,
  RequestError,
  ResponseError,
  SvcError,
} from "./base/errors.js";
export * from "./base/sort-constants.js";
export { bytes, float, int, json, str } from "./plugin/contract/types.js";
export { plugin } from "./plugin/register/plugin.js";
export { PluginRequest } from "./plugin/request/plugin-request.js";
export { RequestData } from "./plugin/request/request-data.js";
export { UploadedFile } from "./plugin/request/uploaded-file.js";
export { HttpError } from "./plugin/response/http-error.js";
export { HttpResponse } from "./plugin/response/http-response.js";
export { Cursor, Page } from "./plugin/response/page.js";
export { PluginResponse } from "./plugin/response/plugin-response.js";
export { rateLimit } from "./plugin/response/rate-limit.js";
export { ValidationError, validate } from "./plugin/response/validate.js";
