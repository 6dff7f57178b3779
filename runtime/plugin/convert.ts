// Public entry "svc-server/convert": everything that generated converters import. Its names are
// part of the format of `.svc/`, so they change only together with compiler/emit.

export { clip } from "./clip.js";
export { graphOf, setGraphBinder } from "./graph-binding.js";
export { keyEnd, pairEnd, readKey } from "./query-text.js";
export {
  missing,
  parseParams,
  readBytes,
  readFloat,
  readInt,
  readJson,
  readStr,
  readValue,
  skipQuery,
  skipValue,
} from "./query-values.js";
export {
  contentBytes,
  contentJson,
  contentStr,
  headersBytes,
  headersDict,
  headersList,
  headersStr,
} from "./received.js";
export { checked, isObject, own, remembered } from "./shape-check.js";
