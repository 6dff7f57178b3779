// Names of query options, for completion.

export { optionNames } from "../query/parse/query-arguments.js";
