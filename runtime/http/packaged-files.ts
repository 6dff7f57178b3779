// Files that `npm run build` left in dist/ for browsers: the console, a single page that routes by
// its path, with assets named by content hash; and jQuery for pages of users (http-interface,
// "User-defined files"). They are stored compressed, except fonts, and read at first use. Of a
// request, only the path and three header fields are used, and a path is only looked up: it never
// becomes part of a file name.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { packageRoot } from "../base/package-info.js";
import type { Exchange } from "./transport.js";

const PAGE = "index.html";
const ASSETS = "/svc/console/";
/** The pages of the interface, and those added by the console. */
const PAGES =
  "index|admin|console|plugin|search|text|status|system|logs|jobs|matrix|replication|requests";
const PAGE_PATH = new RegExp(`^/(?:|(?:${PAGES})(?:\\.html)?)$`);
const HASHED = /-[0-9A-Z]{8}\.\w+$/;
/** By preference. */
const CODINGS = ["br", "gzip"] as const;
const COMPRESSED = /\.(?:br|gz)$/;
const SECURITY =
  "Content-Security-Policy: default-src 'self'; img-src 'self' blob:; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'\r\n" +
  "X-Content-Type-Options: nosniff\r\nReferrer-Policy: same-origin\r\n";

/** By the suffixes of these files. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

type Coding = (typeof CODINGS)[number];

interface Asset {
  readonly mediaType: string;
  readonly fields: string;
  readonly etag: string;
  /** By coding; "" for the bytes themselves. */
  readonly bodies: Readonly<Partial<Record<Coding, Uint8Array>>> & { readonly "": Uint8Array };
}

export class PackagedFiles {
  readonly #folder: string;
  readonly #nameOf: (path: string) => string | null;
  #assets: ReadonlyMap<string, Asset> | null = null;

  /** @param nameOf returns the file of a path, null for none */
  private constructor(folder: string, nameOf: (path: string) => string | null) {
    this.#folder = join(packageRoot(), "dist", folder);
    this.#nameOf = nameOf;
  }

  static console(): PackagedFiles {
    return new PackagedFiles("console", (path) => {
      if (PAGE_PATH.test(path)) return PAGE;
      return path.startsWith(ASSETS) ? path.slice(ASSETS.length) : null;
    });
  }

  static jquery(): PackagedFiles {
    return new PackagedFiles("jquery", (path) => (path === "/jquery.js" ? "jquery.js" : null));
  }

  /** Answers GET or HEAD of a path of these files; returns false for all other paths. */
  serve(exchange: Exchange, path: string): boolean {
    const name = this.#nameOf(path);
    if (name === null) return false;
    this.#assets ??= readAssets(this.#folder);
    const asset = this.#assets.get(name);
    if (asset === undefined) return false;
    const { fields, etag, bodies, mediaType } = asset;
    if (exchange.headers.get("if-none-match") === etag) {
      exchange.respond(304, null, "", fields);
      return true;
    }
    const coding = codingOf(exchange.headers.get("accept-encoding") ?? "", bodies);
    const coded = coding === "" ? fields : `${fields}Content-Encoding: ${coding}\r\n`;
    exchange.respond(200, mediaType, bodies[coding]!, coded);
    return true;
  }
}

/** Returns no files where the package is not built. */
function readAssets(folder: string): ReadonlyMap<string, Asset> {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return new Map();
    throw error;
  }
  const plain = new Set(names.map((name) => name.replace(COMPRESSED, "")));
  return new Map([...plain].map((name) => [name, readAsset(folder, name, names)]));
}

function readAsset(folder: string, name: string, names: readonly string[]): Asset {
  const read = (suffix: string): Uint8Array => readFileSync(join(folder, name + suffix));
  const bodies = names.includes(name)
    ? { "": read("") }
    : { br: read(".br"), gzip: read(".gz"), "": gunzipSync(read(".gz")) };
  const plain = bodies[""];
  const etag = `"${createHash("sha256").update(plain).digest("hex").slice(0, 16)}"`;
  // A name with a hash identifies the content; other names stay the same and are revalidated.
  const caching = HASHED.test(name) ? "public, max-age=31536000, immutable" : "no-cache";
  const fields =
    `ETag: ${etag}\r\nCache-Control: ${caching}\r\n` + `Vary: Accept-Encoding\r\n${SECURITY}`;
  return { mediaType: MEDIA_TYPES[extname(name)]!, fields, etag, bodies };
}

/** Returns the first coding that the client accepts and the file has; "" for none. */
function codingOf(accepted: string, bodies: Asset["bodies"]): Coding | "" {
  const encoding = accepted
    .toLowerCase()
    .split(",")
    .filter((item) => !/;\s*q=0(\.0*)?\s*$/.test(item))
    .map((item) => item.split(";")[0]!.trim());
  return CODINGS.find((coding) => encoding.includes(coding) && coding in bodies) ?? "";
}
