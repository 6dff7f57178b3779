// The numbers by which threads are known in graphs: as holders of the writer's mutex and, in the
// highest byte of session ids, of locks. 1 to 255; executors have the lowest. A number is given to
// another thread only when all that the last one held was released, which may take a while.

export const MAIN_THREAD = 201;
/** Reads only. */
export const IO_THREAD = 203;

const FIRST_KEEPER = 204;
const KEEPERS = 25;
const FIRST_ADMIN = FIRST_KEEPER + KEEPERS;
const ADMINS = 25;

/**
 * The one thread that makes, loads and saves graphs.
 * @param deaths of those before it
 */
export function managerThreadNumber(deaths: number): number {
  return FIRST_KEEPER + (deaths % KEEPERS);
}

/**
 * The one thread that runs built-in plugins on graphs.
 * @param deaths of those before it
 */
export function adminThread(deaths: number): number {
  return FIRST_ADMIN + (deaths % ADMINS);
}

/** @param executor its id, from 0 */
export function executorThread(executor: number): number {
  return executor + 1;
}
