// Opens the location of a backup.

import { resolve } from "node:path";
import { SvcError } from "../../base/errors.js";
import { FolderStore } from "./folder-store.js";
import type { ObjectStore } from "./object-store.js";
import { S3Store } from "./s3-store.js";

/**
 * @param location folder, or `s3://bucket/prefix`
 * @param root data folder, which must not contain the backup
 * @throws SvcError SVC3422
 */
export async function openStore(
  location: string,
  root: string | null = null,
): Promise<ObjectStore> {
  if (location.startsWith("s3:")) return S3Store.open(location, { environment: process.env });
  const folder = resolve(location);
  if (root !== null && `${folder}/`.startsWith(`${resolve(root)}/`)) {
    throw new SvcError("SVC3422", `${folder} is inside the data folder ${root}`);
  }
  return new FolderStore(folder);
}
