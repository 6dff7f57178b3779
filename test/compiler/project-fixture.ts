// Temporary projects for compiler tests: a folder with plugin sources and a small declaration of
// this package, removed when the test process ends.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The types of the package that the compiler reads. */
export const PACKAGE_TYPES = `
declare const brand: unique symbol;
export type int = number & { readonly [brand]?: "int" };
export type float = number & { readonly [brand]?: "int" | "float" };
export type str = string;
export type bytes = Uint8Array;
export type json = null | boolean | number | string | json[] | { [key: string]: json };
declare const limits: unique symbol;
type Limited<L> = { readonly [limits]?: L };
export type Minimum<N extends number> = Limited<{ readonly minimum: N }>;
export type Maximum<N extends number> = Limited<{ readonly maximum: N }>;
export type ExclusiveMinimum<N extends number> = Limited<{ readonly exclusiveMinimum: N }>;
export type MultipleOf<N extends number> = Limited<{ readonly multipleOf: N }>;
export type MaxLength<N extends number> = Limited<{ readonly maxLength: N }>;
export type Pattern<P extends string> = Limited<{ readonly pattern: P }>;
export type Format<F extends string> = Limited<{ readonly format: F }>;
export type MaxItems<N extends number> = Limited<{ readonly maxItems: N }>;
export type UniqueItems = Limited<{ readonly uniqueItems: true }>;
export declare class PluginRequest {
  readonly params: Record<string, unknown>;
  partial: number | null;
}
export declare class PluginResponse<K = unknown, T = unknown> {
  constructor(maxhits?: number);
  append(sortkey: K, item: T): void;
}
export declare class UploadedFile { readonly name: string; bytes(): Promise<Uint8Array>; }
export declare class Cursor<S = unknown> { readonly state: S; }
export declare class Page<T, S = unknown> {
  readonly items: readonly T[];
  constructor(items: readonly T[], next?: S | null);
  toJSON(): { readonly items: readonly T[]; readonly cursor: string | null };
}
export declare class Job { readonly scheduledAt: Date; private constructor(); }
export declare class Graph { readonly name: string; }
export interface TypedGraph<S> extends Graph { vertices(options: object): S[]; }
export declare class HttpError extends Error {
  readonly status: number;
  readonly details?: unknown;
  constructor(status: number, message: string, details?: unknown);
}
export declare class HttpResponse<M extends string = string> {
  readonly type: M;
  constructor(body?: string | Uint8Array, options?: { type?: M; status?: number });
}
export interface PluginOptions {
  name?: string;
  graph?: string;
  role?: "engine" | "pre" | "post";
  readonly?: boolean;
}
type Fn = (request: PluginRequest, ...args: never[]) => unknown;
type Post = (response: PluginResponse, ...args: never[]) => unknown;
interface Wrap<B> {
  <F extends B>(fn: F): F;
  <F extends B>(options: PluginOptions, fn: F): F;
}
interface Decorate {
  (method: Fn, context: ClassMethodDecoratorContext): void;
  (options: PluginOptions): (method: Fn, context: ClassMethodDecoratorContext) => void;
}
export declare const plugin: Wrap<Fn> & Decorate & { pre: Wrap<Fn>; post: Wrap<Post> };
`;

const folders: string[] = [];
process.on("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export class ProjectFixture {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), "svc-compiler-")));

  constructor(files: Readonly<Record<string, string>>) {
    folders.push(this.dir);
    this.write("package.json", '{ "name": "fixture", "type": "module" }');
    const manifest = { name: "svc-server", version: "0.0.0", type: "module", types: "index.d.ts" };
    this.write("node_modules/svc-server/package.json", JSON.stringify(manifest));
    this.write("node_modules/svc-server/index.d.ts", PACKAGE_TYPES);
    for (const [path, text] of Object.entries(files)) this.write(path, text);
  }

  write(path: string, text: string): void {
    const file = join(this.dir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  remove(path: string): void {
    rmSync(join(this.dir, path));
  }
}
