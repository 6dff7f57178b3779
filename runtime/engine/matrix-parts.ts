// The modules of the IO thread for a matrix, a fifth of its code. Only dispatchers load them.

export { Dispatcher } from "../dispatch/dispatcher.js";
export { readMatrixConfig } from "../settings/matrix-config.js";
export { MatrixRequests } from "./matrix-requests.js";
