// The numbers by which threads are known in graphs: as holders of the writer's mutex and, in the
// highest byte of session ids, of locks. 1 to 255; executors have the lowest.

export const MAIN_THREAD = 201;
/** The one thread that makes and loads graphs. */
export const KEEPER_THREAD = 202;
/** Reads only. */
export const IO_THREAD = 203;

/** @param executor its id, from 0 */
export function executorThread(executor: number): number {
  return executor + 1;
}
