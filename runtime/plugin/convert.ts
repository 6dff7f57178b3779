// Public entry "svc-server/convert": the imports of generated converters. Its names are part of the
// format of `.svc/`, so they change only together with compiler/emit.

export { limitCheck } from "../../argspec/limits/limits.js";
export {
  integerFault,
  isFraction,
  isTooDeep,
  listItems,
  readFields,
} from "./contract/integer-check.js";
export { hasValue, keyEnd, pairEnd, readKey } from "./contract/query-text.js";
export { checked, isObject, memoizedCheck, ownProperty } from "./contract/shape-check.js";
export { temporalClass } from "./contract/temporal-class.js";
export { toBuffer } from "./contract/to-buffer.js";
export { truncateForMessage } from "./contract/truncate-for-message.js";
export { typedArgument, typedResult } from "./contract/typed-values.js";
export { createJob } from "./request/job.js";
export {
  createParamReader,
  missing,
  parseParams,
  readBytes,
  readFloat,
  readInt,
  readJson,
  readStr,
  readUnionValue,
  readUntyped,
  skipQuery,
  skipValue,
} from "./request/query-values.js";
export {
  contentBytes,
  contentJson,
  contentStr,
  headersBytes,
  headersDict,
  headersList,
  headersStr,
} from "./request/received.js";
export { mediaTypeFault } from "./response/media-type-fault.js";
export { toCursor } from "./response/page.js";
export { callWithForm, fileArgument } from "./run/form.js";
export { requireBoundGraph, setGraphBinder } from "./run/graph-binding.js";
export { callValidated } from "./run/validate-arguments.js";
