// Opens the location of a backup.

import { FolderStore } from "./folder-store.js";
import type { ObjectStore } from "./object-store.js";
import { S3Store } from "./s3-store.js";

/**
 * @param place folder, or `s3://bucket/prefix`
 * @throws SvcError SVC3422
 */
export async function openStore(place: string): Promise<ObjectStore> {
  if (!place.startsWith("s3:")) return new FolderStore(place);
  return S3Store.open(place, { environment: process.env });
}
