// The real disk with some operations of its files replaced.

import { type Disk, type DiskFile, realDisk } from "../../../../runtime/interconnect/log/disk.js";

/** @param change returns the operations that differ from those of a file */
export function changedDisk(change: (file: DiskFile, path: string) => Partial<DiskFile>): Disk {
  const changed = (path: string, file: DiskFile): DiskFile => ({
    size: () => file.size(),
    read: (into, position) => file.read(into, position),
    write: (bytes, position) => file.write(bytes, position),
    flush: () => file.flush(),
    flushNow: () => file.flushNow(),
    truncate: (bytes) => file.truncate(bytes),
    close: () => file.close(),
    ...change(file, path),
  });
  return {
    ...realDisk,
    open: (path, mode) => changed(path, realDisk.open(path, mode)),
    create: (path) => changed(path, realDisk.create(path)),
  };
}
