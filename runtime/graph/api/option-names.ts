// Names of the options of queries, for those who help to write them.

export { optionNames } from "../query/parse/query-arguments.js";
