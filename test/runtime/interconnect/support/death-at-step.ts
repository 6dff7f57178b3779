// Death of a process before any step of its virtual disk.

import { VirtualDisk, VirtualFile } from "../../../property/support/interconnect/virtual-disk.js";

const STEPS = [
  [VirtualDisk.prototype, "change"],
  [VirtualDisk.prototype, "flushFolder"],
  [VirtualFile.prototype, "write"],
  [VirtualFile.prototype, "truncate"],
  [VirtualFile.prototype, "flush"],
] as const;

/**
 * Runs code that dies before a step of the disk. Returns whether it did.
 * @param die makes the disk unreachable
 */
export async function dieAt(step: number, die: () => void, run: () => unknown): Promise<boolean> {
  let steps = 0;
  let isDead = false;
  const undo = STEPS.map(([target, name]) => {
    const methods = target as unknown as Record<string, (...args: unknown[]) => unknown>;
    const original = methods[name]!;
    methods[name] = function (...args) {
      if (steps++ === step) {
        isDead = true;
        die();
      }
      // Later steps fail, since the disk is away.
      if (isDead) return undefined;
      return original.apply(this, args);
    };
    return () => {
      methods[name] = original;
    };
  });
  try {
    await run();
  } catch (error) {
    if (!isDead) throw error;
  }
  for (const restore of undo) restore();
  return isDead;
}
