// Revives graph errors of another thread, as the same class where users distinguish it.

import { isErrorCode } from "../../base/error-codes.js";
import { SvcError } from "../../base/errors.js";
import { AccessError, DataError, InternalError, OperationTimeout } from "./errors.js";

const CLASSES = new Map<string, new (message: string) => SvcError>([
  ["AccessError", AccessError],
  ["DataError", DataError],
  ["OperationTimeout", OperationTimeout],
]);

/** Error codec of calls to the threads that know and open graphs. */
export const SERIALIZABLE_GRAPH_ERRORS = {
  revive({ name, code, message }: Record<"name" | "code" | "message", string>): SvcError {
    const known = CLASSES.get(name);
    if (known !== undefined) return new known(message);
    return isErrorCode(code)
      ? new SvcError(code, message)
      : new InternalError(`${name}: ${message}`);
  },
  late: (): SvcError => new OperationTimeout("the thread that keeps graphs does not answer"),
};
