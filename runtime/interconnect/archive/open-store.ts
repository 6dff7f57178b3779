// Opens the location of a backup.

import { FolderStore } from "./folder-store.js";
import type { ObjectStore } from "./object-store.js";

/** @param place folder */
export async function openStore(place: string): Promise<ObjectStore> {
  return new FolderStore(place);
}
