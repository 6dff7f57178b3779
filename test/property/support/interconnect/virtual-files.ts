// As much of `node:fs` as the product uses, on disks in memory: each name below FOLDER is a disk of
// its own. Asynchronous operations take virtual time.

import { basename } from "node:path";
import { withoutStack } from "./stackless-error.js";
import { VirtualDisk, VirtualFile, VirtualFolder } from "./virtual-disk.js";
import type { VirtualWorld } from "./virtual-world.js";

export const FOLDER = "/svc-simulated";
const FIRST_DESCRIPTOR = 2 ** 24;
const SLOW_MS = 2000;
const SLOW_DISK_MS = 300;
/** Space that the log keeps in reserve: nothing reads it. */
const RESERVE = "reserve";

interface Opened {
  readonly disk: VirtualDisk;
  readonly node: VirtualFile | VirtualFolder;
  position: number;
}

type Options = { readonly recursive?: boolean; readonly force?: boolean } | null | undefined;

export class VirtualFiles {
  readonly #world: VirtualWorld;
  readonly #disks = new Map<string, VirtualDisk>();
  readonly #opened = new Map<number, Opened>();
  /** Parts of paths. */
  readonly #split = new Map<string, readonly string[]>();
  /** Names of disks that cannot be reached. */
  readonly away = new Set<string>();
  #next = FIRST_DESCRIPTOR;
  #temporary = 0;

  constructor(world: VirtualWorld) {
    this.#world = world;
  }

  /** Returns whether a path or descriptor is one of these. */
  has(file: unknown): boolean {
    return typeof file === "number" ? file >= FIRST_DESCRIPTOR : String(file).startsWith(FOLDER);
  }

  /** Mounts an empty disk. */
  mount(name: string): VirtualDisk {
    const disk = new VirtualDisk();
    this.#disks.set(name, disk);
    return disk;
  }

  readonly sync = {
    openSync: (path: string, flags = "r"): number => {
      const { disk, folder, name, node } = this.#find(path);
      if (flags.includes("x") && node !== undefined) throw failed("EEXIST", "open", path);
      const file = node ?? this.#missing(path, flags.startsWith("r"), "open");
      if (node === undefined) disk.change([folder, name, file]);
      if (flags.startsWith("w") && file instanceof VirtualFile) file.truncate(0);
      const descriptor = this.#next++;
      this.#opened.set(descriptor, { disk, node: file, position: 0 });
      return descriptor;
    },
    closeSync: (descriptor: number): void => void this.#opened.delete(descriptor),
    readSync: (
      fd: number,
      into: Uint8Array,
      offset = 0,
      length = into.length - offset,
      from?: number,
    ) => {
      const opened = this.#file(fd);
      const count = opened.node.read(
        into.subarray(offset, offset + length),
        from ?? opened.position,
      );
      if (typeof from !== "number") opened.position += count;
      return count;
    },
    writeSync: (fd: number, data: Uint8Array | string, offset = 0, size?: number, to?: number) => {
      const opened = this.#file(fd);
      const bytes = typeof data === "string" ? Buffer.from(data) : data;
      const length = size ?? bytes.length - offset;
      opened.node.write(bytes.subarray(offset, offset + length), to ?? opened.position);
      if (typeof to !== "number") opened.position += length;
      return length;
    },
    fstatSync: (fd: number) => makeStat(this.#opened.get(fd)!.node),
    fsyncSync: (fd: number): void => this.#flush(fd),
    fdatasyncSync: (fd: number): void => this.#flush(fd),
    ftruncateSync: (fd: number, length = 0): void => this.#file(fd).node.truncate(length),
    existsSync: (path: string): boolean => this.#lookUp(path) !== undefined,
    statSync: (path: string) => makeStat(this.#require(path, "stat")),
    lstatSync: (path: string, options?: { readonly throwIfNoEntry?: boolean }) => {
      const node = this.#lookUp(path);
      if (node === undefined && options?.throwIfNoEntry === false) return undefined;
      return makeStat(this.#require(path, "lstat"));
    },
    realpathSync: (path: string): string => path,
    statfsSync: () => ({ bavail: 2 ** 40, bsize: 1 }),
    utimesSync: (): void => undefined,
    readdirSync: (path: string, options?: { readonly withFileTypes?: boolean }) => {
      const folder = this.#require(path, "scandir");
      if (folder instanceof VirtualFile) throw failed("ENOTDIR", "scandir", path);
      const entries = [...folder.entries].sort(([a], [b]) => (a < b ? -1 : 1));
      if (options?.withFileTypes !== true) return entries.map(([name]) => name);
      return entries.map(([name, node]) => ({ name, ...makeStat(node) }));
    },
    readFileSync: (path: string, encoding?: BufferEncoding | null): Buffer | string => {
      const node = this.#require(path, "open");
      if (node instanceof VirtualFolder) throw failed("EISDIR", "read", path);
      return encoding == null ? Buffer.from(node.bytes) : node.bytes.toString(encoding);
    },
    writeFileSync: (path: string, data: Uint8Array | string, options?: { flush?: boolean }) => {
      const descriptor = this.sync.openSync(path, "w");
      this.sync.writeSync(descriptor, data);
      if (options?.flush === true) this.#flush(descriptor);
      this.sync.closeSync(descriptor);
    },
    mkdirSync: (path: string, options?: Options): string | undefined => {
      const { disk, folder, name, node } = this.#find(path, options?.recursive === true);
      if (node !== undefined && options?.recursive !== true) throw failed("EEXIST", "mkdir", path);
      const first = this.#created;
      this.#created = undefined;
      if (node !== undefined) return first;
      disk.change([folder, name, new VirtualFolder()]);
      return first ?? path;
    },
    mkdtempSync: (prefix: string): string => {
      const path = `${prefix}${this.#temporary++}`;
      this.sync.mkdirSync(path);
      return path;
    },
    renameSync: (from: string, to: string): void => {
      const node = this.#require(from, "rename");
      const [source, target] = [this.#find(from), this.#find(to)];
      source.disk.change([source.folder, source.name, null], [target.folder, target.name, node]);
    },
    linkSync: (from: string, to: string): void => {
      const node = this.#require(from, "link");
      const { disk, folder, name, node: targetNode } = this.#find(to);
      if (targetNode !== undefined) throw failed("EEXIST", "link", to);
      disk.change([folder, name, node]);
    },
    copyFileSync: (from: string, to: string): void => {
      this.sync.writeFileSync(to, this.sync.readFileSync(from));
    },
    unlinkSync: (path: string): void => {
      this.#require(path, "unlink");
      this.sync.rmSync(path);
    },
    rmdirSync: (path: string): void => {
      const folder = this.#require(path, "rmdir");
      const isEmpty = folder instanceof VirtualFolder && folder.entries.size === 0;
      if (!isEmpty) throw failed("ENOTEMPTY", "rmdir", path);
      this.sync.rmSync(path, { recursive: true });
    },
    rmSync: (path: string, options?: Options): void => {
      const isForced = options?.force === true;
      if (this.#lookUp(path) === undefined) {
        if (isForced) return;
        throw failed("ENOENT", "rm", path);
      }
      const { disk, folder, name } = this.#find(path);
      disk.change([folder, name, null]);
    },
  };

  readonly callbacks = {
    fsync: (fd: number, done: () => void): void => void this.#flushLater(fd).then(done),
    fdatasync: (fd: number, done: () => void): void => void this.#flushLater(fd).then(done),
  };

  readonly promises = {
    open: (path: string, flags = "r") =>
      this.#later(0, () => {
        const descriptor = this.sync.openSync(path, flags);
        return this.#handle(descriptor);
      }),
    readdir: (path: string, options?: { readonly withFileTypes?: boolean }) =>
      this.#later(0, () => this.sync.readdirSync(path, options)),
    readFile: (path: string, encoding?: BufferEncoding) =>
      this.#later(0, () => this.sync.readFileSync(path, encoding)),
    writeFile: async (path: string, input: string, options?: { flush?: boolean }) => {
      const descriptor = this.sync.openSync(path, "w");
      this.sync.writeSync(descriptor, input);
      await (options?.flush === true ? this.#flushLater(descriptor) : this.#later(0, () => {}));
      this.sync.closeSync(descriptor);
    },
    stat: (path: string) => this.#later(0, () => this.sync.statSync(path)),
    rename: (from: string, to: string) => this.#later(0, () => this.sync.renameSync(from, to)),
    link: (from: string, to: string) => this.#later(0, () => this.sync.linkSync(from, to)),
    rm: (path: string, options?: Options) => this.#later(0, () => this.sync.rmSync(path, options)),
  };

  /** The first folder that the last look-up has created. */
  #created: string | undefined;

  #handle(descriptor: number) {
    const { sync } = this;
    return {
      read: (into: Uint8Array, offset: number, length: number, from: number) =>
        this.#later(0, () => ({
          bytesRead: sync.readSync(descriptor, into, offset, length, from),
        })),
      writeFile: (content: Uint8Array) =>
        this.#later(0, () => void sync.writeSync(descriptor, content)),
      stat: () => this.#later(0, () => sync.fstatSync(descriptor)),
      sync: () => this.#flushLater(descriptor),
      close: async () => sync.closeSync(descriptor),
    };
  }

  #later<T>(ms: number, run: () => T): Promise<T> {
    const { current } = this.#world;
    return new Promise((resolve, reject) => {
      this.#world.after(ms, current, () => {
        try {
          resolve(run());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #flushLater(descriptor: number): Promise<void> {
    const { random } = this.#world;
    const { isSlow } = this.#opened.get(descriptor)!.disk;
    const ms = 1 + random.below(random.below(100) === 0 ? SLOW_MS : isSlow ? SLOW_DISK_MS : 5);
    return this.#later(ms, () => this.#flush(descriptor));
  }

  #flush(descriptor: number): void {
    const { disk, node } = this.#opened.get(descriptor)!;
    if (node instanceof VirtualFile) node.flush();
    else disk.flushFolder(node);
  }

  #file(descriptor: number): Opened & { readonly node: VirtualFile } {
    const opened = this.#opened.get(descriptor);
    if (opened?.node instanceof VirtualFile) return opened as Opened & { node: VirtualFile };
    throw failed("EBADF", "read", String(descriptor));
  }

  #require(path: string, syscall: string): VirtualFile | VirtualFolder {
    return this.#lookUp(path) ?? this.#missing(path, true, syscall);
  }

  #missing(path: string, isError: boolean, syscall: string): VirtualFile {
    if (isError) throw failed("ENOENT", syscall, path);
    return basename(path) === RESERVE ? new Reserve() : new VirtualFile();
  }

  #lookUp(path: string): VirtualFile | VirtualFolder | undefined {
    const [mount = "", ...parts] = this.#partsOf(path);
    if (this.away.has(mount)) throw failed("EIO", "open", path);
    let node: VirtualFile | VirtualFolder | undefined = this.#disks.get(mount)?.root;
    for (const part of parts)
      node = node instanceof VirtualFolder ? node.entries.get(part) : undefined;
    return node;
  }

  #partsOf(path: string): readonly string[] {
    const known = this.#split.get(path);
    if (known !== undefined) return known;
    const parts = path.slice(FOLDER.length + 1).split("/");
    const named = parts.filter((part) => part !== "");
    this.#split.set(path, named);
    return named;
  }

  #find(path: string, creates = false) {
    const [mount = "", ...parts] = this.#partsOf(path);
    const disk = this.#disks.get(mount);
    if (disk === undefined) throw failed("ENOENT", "open", path);
    if (this.away.has(mount)) throw failed("EIO", "open", path);
    const name = parts.pop() ?? "";
    let folder = disk.root;
    for (const [index, part] of parts.entries()) {
      let next = folder.entries.get(part);
      if (next === undefined && creates) {
        this.#created ??= [FOLDER, mount, ...parts.slice(0, index + 1)].join("/");
        next = new VirtualFolder();
        disk.change([folder, part, next]);
      }
      if (next === undefined) throw failed("ENOENT", "open", path);
      if (next instanceof VirtualFile) throw failed("ENOTDIR", "open", path);
      folder = next;
    }
    const node = name === "" ? folder : folder.entries.get(name);
    return { disk, folder, name, node };
  }
}

class Reserve extends VirtualFile {
  #size = 0;

  override get size(): number {
    return this.#size;
  }

  override write(bytes: Uint8Array, position: number): void {
    this.#size = Math.max(this.#size, position + bytes.length);
  }
}

function makeStat(node: VirtualFile | VirtualFolder) {
  const isFile = node instanceof VirtualFile;
  return {
    size: isFile ? node.size : 0,
    mtimeMs: isFile ? node.modifiedAt : 0,
    isFile: () => isFile,
    isDirectory: () => !isFile,
    isSymbolicLink: () => false,
  };
}

function failed(code: string, syscall: string, path: string): Error {
  return withoutStack(`${code}: ${syscall} '${path}'`, { code, syscall, path });
}
