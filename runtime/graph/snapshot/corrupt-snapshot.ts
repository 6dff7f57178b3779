// Why a snapshot file cannot be used though it is one of ours: the previous one is used instead.
// It never leaves this folder but as a DataError that names the file.

export class CorruptSnapshotError extends Error {
  override name = "CorruptSnapshotError";
}
