// Errors of graphs under the names that users see, in code and as `exception` of a response.
// Messages follow the interface reference; tests compare class and code.

import type { ErrorCodeName } from "../../base/error-codes.js";
import { isOwnCode, SvcError } from "../../base/errors.js";

type NamedError = new (message: string, options?: ErrorOptions) => SvcError;

/** Names may have 131,000 bytes; messages show the first 100. */
const MAX_SHOWN = 100;
const LONG_NAME = new RegExp(`'([^']{${MAX_SHOWN}})[^']{4,}'`, "g");

function clip(message: string): string {
  return message.length <= MAX_SHOWN ? message : message.replace(LONG_NAME, "'$1...'");
}

/** Returns an anonymous base class, which keeps generated declarations short. */
function errorClass(name: string, code: ErrorCodeName): NamedError {
  return class extends SvcError {
    override name = name;
    constructor(message: string, options?: ErrorOptions) {
      super(code, clip(message), options);
    }
  };
}

/** Lock conflicts, timeouts, read-only graphs, closed handles and graphs. */
export class AccessError extends errorClass("AccessError", "SVC2401") {}
/** Another session holds a vertex; a retry may succeed. */
export class LockedError extends AccessError {}
/** Changes cannot be stored: the disk of the transaction log is full or has failed. */
export class StorageError extends AccessError {
  override name = "StorageError";
  override readonly code = "SVC2505";
}
/** The graph, or one kind of its data, has reached its maximum size. */
export class CapacityError extends errorClass("CapacityError", "SVC2402") {}
/** A value out of range. */
export class ValueError extends errorClass("ValueError", "SVC2411") {}
/** An invalid arc, or one that conflicts with an existing one. */
export class ArcError extends ValueError {
  override name = "ArcError";
  override readonly code = "SVC2403";
}
/** A missing property, vertex or graph. */
export class LookupError extends errorClass("LookupError", "SVC2410") {}
/** Exhausted enumeration, unknown code, invalid type name. */
export class EnumerationError extends LookupError {
  override name = "EnumerationError";
  override readonly code = "SVC2404";
}
/** An invalid id, or a type that differs from the existing one. */
export class VertexError extends errorClass("VertexError", "SVC2405") {}
/** An invalid query, filter, condition, sort or selection. */
export class QueryError extends errorClass("QueryError", "SVC2406") {
  /** The problem without argument path and expected values. */
  readonly problem: string = this.message;
}
/** A query that failed or timed out. */
export class SearchError extends errorClass("SearchError", "SVC2407") {
  /** The problem without argument path and expected values. */
  readonly problem: string = this.message;
}
/** A management operation that timed out. */
export class OperationTimeout extends errorClass("OperationTimeout", "SVC2408") {}
/** Invalid names, paths and configuration; corrupt files. */
export class DataError extends errorClass("DataError", "SVC2409") {}
/** A snapshot that cannot be read back as it was written. */
export class ReadBackError extends DataError {
  override readonly code = "SVC2414";
}
/** A missing vertex or graph. */
export class KeyError extends LookupError {
  override name = "KeyError";
}
/** A position out of range. */
export class IndexError extends LookupError {
  override name = "IndexError";
}
/** A rule that a change or the data of a graph would break. */
export class ConstraintError extends errorClass("ConstraintError", "SVC2415") {
  /** The first hundred violations. */
  readonly violations: readonly ConstraintViolation[];

  constructor(message: string, violations: readonly ConstraintViolation[] = []) {
    super(message);
    this.violations = violations;
  }
}
/** A vertex that breaks a rule. */
export interface ConstraintViolation {
  readonly id: string;
  /** `unique`, `required`, or the kind of value that the rule demands. */
  readonly rule: string;
  /** Vertex that has the same value. */
  readonly other?: string;
}
/** A vertex whose slot another group of the system owns. */
export class OwnerError extends errorClass("OwnerError", "SVC3410") {}
/** A position of a change feed that is malformed, or belongs to another graph. */
export class PositionError extends errorClass("PositionError", "SVC2417") {}
/** A position of a change feed whose next changes are no longer in the transaction log. */
export class PositionExpiredError extends errorClass("PositionExpiredError", "SVC2418") {}
/** A violated invariant: a defect of the graph engine. */
export class InternalError extends errorClass("InternalError", "SVC2413") {}
/** Not supported by this version. */
export class UnsupportedError extends errorClass("UnsupportedError", "SVC2412") {}

const CLASSES = new Map<string, new (message: string) => SvcError>([
  ["AccessError", AccessError],
  ["CapacityError", CapacityError],
  ["ConstraintError", ConstraintError],
  ["DataError", DataError],
  ["KeyError", KeyError],
  ["OperationTimeout", OperationTimeout],
  ["QueryError", QueryError],
  ["SearchError", SearchError],
  ["StorageError", StorageError],
  ["ValueError", ValueError],
]);

/** Error codec of calls to other threads: the threads of graphs and of algorithms. */
export const SERIALIZABLE_GRAPH_ERRORS = {
  revive({ name, code, message }: Record<"name" | "code" | "message", string>): SvcError {
    const known = CLASSES.get(name);
    if (known !== undefined) return new known(message);
    return isOwnCode(code) ? new SvcError(code, message) : new InternalError(`${name}: ${message}`);
  },
  timedOut: (): SvcError => new OperationTimeout("the thread that keeps graphs does not answer"),
};
