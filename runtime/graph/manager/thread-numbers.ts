// Thread numbers in graphs, 1 to 255: they identify the owner of the writer mutex and, in the
// highest byte of session ids, of locks. Executors have the lowest. A dead thread's successor gets
// another number, because releasing the locks of the dead thread may take a while.

const FIRST_ALGORITHM = 100;
const ALGORITHMS = 12;

export const MAIN_THREAD = 201;
/** Reads only. */
export const IO_THREAD = 203;

const FIRST_MANAGER = 204;
const MANAGERS = 25;
const FIRST_ADMIN = FIRST_MANAGER + MANAGERS;
const ADMINS = 12;

/**
 * Returns the number of the interconnect thread, which opens and saves graphs.
 * @param deaths number of its predecessors
 */
export function managerThreadNumber(deaths: number): number {
  return FIRST_MANAGER + (deaths % MANAGERS);
}

/**
 * Returns the number of an executor of built-in plugins.
 * @param executor 0 admin executor, 1 long-query executor
 * @param deaths number of its predecessors
 */
export function adminThread(executor: 0 | 1, deaths: number): number {
  return FIRST_ADMIN + executor * ADMINS + (deaths % ADMINS);
}

/**
 * Returns the number of the thread of algorithms.
 * @param deaths number of its predecessors
 */
export function algorithmThread(deaths: number): number {
  return FIRST_ALGORITHM + (deaths % ALGORITHMS);
}

/** @param executor id of the executor, from 0 */
export function executorThread(executor: number): number {
  return executor + 1;
}
