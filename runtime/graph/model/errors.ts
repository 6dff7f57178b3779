// The exceptions of graphs under the names that users meet: in code, and as `exception` of an
// answer. Texts are those of the interface's reference; tests compare class and code.

import type { ErrorCodeName } from "../../base/error-codes.js";
import { SvcError } from "../../base/errors.js";

type NamedError = new (message: string, options?: ErrorOptions) => SvcError;

/** Names may have 131,000 bytes; nobody reads that many. */
const MAX_SHOWN = 100;
const LONG_NAME = new RegExp(`'([^']{${MAX_SHOWN}})[^']{4,}'`, "g");

function clipped(message: string): string {
  return message.length <= MAX_SHOWN ? message : message.replace(LONG_NAME, "'$1...'");
}

/** A class without a name of its own, whose declaration would spell out all of `Error`. */
function named(name: string, code: ErrorCodeName): NamedError {
  return class extends SvcError {
    override name = name;
    constructor(message: string, options?: ErrorOptions) {
      super(code, clipped(message), options);
    }
  };
}

/** Lock conflicts, timeouts, readonly graphs, closed handles and graphs. */
export class AccessError extends named("AccessError", "SVC2401") {}
/** Another session holds a vertex: to try again later may help. */
export class LockedError extends AccessError {}
/** The graph, or one kind of its data, can grow no more. */
export class CapacityError extends named("CapacityError", "SVC2402") {}
/** A value of a wrong range. */
export class ValueError extends named("ValueError", "SVC2411") {}
/** A bad arc, or one that conflicts with what is there. */
export class ArcError extends ValueError {
  override name = "ArcError";
  override readonly code = "SVC2403";
}
/** No such property, vertex or graph. */
export class LookupError extends named("LookupError", "SVC2410") {}
/** Full enumeration, unknown code, bad name of a type. */
export class EnumerationError extends LookupError {
  override name = "EnumerationError";
  override readonly code = "SVC2404";
}
/** A bad id, or a type that differs from what is there. */
export class VertexError extends named("VertexError", "SVC2405") {}
/** A malformed query, filter, condition, sort or selection. */
export class QueryError extends named("QueryError", "SVC2406") {
  /** What is wrong, without its place and what fits there. */
  readonly problem: string = this.message;
}
/** A query that failed or took too long. */
export class SearchError extends named("SearchError", "SVC2407") {
  /** What is wrong, without its place and what fits there. */
  readonly problem: string = this.message;
}
/** A management operation that was not possible in time. */
export class OperationTimeout extends named("OperationTimeout", "SVC2408") {}
/** Bad names, paths and configuration, damaged files. */
export class DataError extends named("DataError", "SVC2409") {}
/** A snapshot that is not on the disk as it was written. */
export class ReadBackError extends DataError {
  override readonly code = "SVC2414";
}
/** No such vertex or graph. */
export class KeyError extends LookupError {
  override name = "KeyError";
}
/** A position beyond what there is. */
export class IndexError extends LookupError {
  override name = "IndexError";
}
/** What cannot be: a defect of the graph engine. */
export class InternalError extends named("InternalError", "SVC2413") {}
/** What a later version will do. */
export class UnsupportedError extends named("UnsupportedError", "SVC2412") {}
