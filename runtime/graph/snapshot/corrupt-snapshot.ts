// A snapshot file is corrupt, so the previous one is used. Leaves this folder only as a DataError
// that names the file.

export class CorruptSnapshotError extends Error {
  override name = "CorruptSnapshotError";
}
