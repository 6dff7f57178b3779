// `svc init`: writes a new project from templates/init, and a Dockerfile from templates/docker.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { SvcError } from "../runtime/base/errors.js";
import { packageInfo, packageRoot } from "../runtime/base/package-info.js";
import { defineCommand } from "./framework/command.js";
import { flag } from "./framework/option.js";

export const init = defineCommand({
  name: "init",
  summary: "Creates a project with one plugin and its test.",
  arguments: [{ name: "<folder>", required: true, help: "new or empty folder" }],
  options: {
    docker: { kind: flag, help: "also write a Dockerfile; works on existing projects" },
  },
  environment: false,
  async run([argument], { docker = false }) {
    const folder = resolve(argument!);
    if (docker && existsSync(join(folder, "package.json"))) {
      for (const file of writeImage(folder)) console.log(`  ${join(argument!, file)}`);
      return 0;
    }
    makeEmptyFolder(folder);
    if (docker) writeImage(folder);
    const dependency = dependencyOnThisPackage();
    for (const file of writeTemplate("init", folder, { name: packageName(folder), dependency })) {
      console.log(`  ${join(argument!, file)}`);
    }
    if (dependency.startsWith("file:")) {
      console.log("\nThis svc-server is not from a registry: package.json refers to");
      console.log(dependency);
    }
    console.log(`\nNext:\n  cd ${shellWord(argument!)}\n  npm install\n  npm start`);
    return 0;
  },
});

/** Matches names that users may type. */
function shellWord(name: string): string {
  return /^[\w./@-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`;
}

/** @throws SvcError SVC3009 if the folder is not empty or cannot be created */
function makeEmptyFolder(folder: string): void {
  let names: readonly string[];
  try {
    makeFolder(folder);
    names = readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SvcError("SVC3009", `${folder} cannot be used (${code})`, { cause: error });
  }
  if (names.length > 0) throw new SvcError("SVC3009", `${folder} is not empty`);
}

/** Creates one level at a time: with `recursive`, Node 20 hangs if a level vanishes (/proc). */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

/** Returns the exact version if the package came from a registry, otherwise its folder. */
function dependencyOnThisPackage(): string {
  const root = packageRoot();
  const isFromRegistry = basename(dirname(root)) === "node_modules" && !isFromFile(root);
  return isFromRegistry ? packageInfo().version : `file:${root.replaceAll("\\", "/")}`;
}

/** Returns whether npm installed the package from a local folder or file. */
function isFromFile(root: string): boolean {
  const name = basename(root);
  try {
    const lock = readFileSync(join(dirname(root), ".package-lock.json"), "utf8");
    const { packages } = JSON.parse(lock) as {
      packages: Record<string, { resolved?: string; link?: boolean }>;
    };
    const entry = packages[`node_modules/${name}`];
    return entry?.link === true || (entry?.resolved?.startsWith("file:") ?? false);
  } catch {
    // Other package managers and global installations have no such record.
    return false;
  }
}

/** Returns a valid npm name that resembles the folder's name. */
function packageName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-");
  return name.replace(/^[._-]+/, "") || "my-service";
}

/** @throws SvcError SVC3009 if one of its files exists */
function writeImage(folder: string): string[] {
  const existing = ["Dockerfile", ".dockerignore"].find((name) => existsSync(join(folder, name)));
  if (existing !== undefined)
    throw new SvcError("SVC3009", `${join(folder, existing)} already exists`);
  return writeTemplate("docker", folder, {});
}

/** Writes all files of a template and returns their names. */
function writeTemplate(
  name: "init" | "docker",
  folder: string,
  values: Readonly<Record<string, string>>,
): string[] {
  const template = join(packageRoot(), "templates", name);
  const files = readdirSync(template, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(template, join(entry.parentPath, entry.name)))
    .sort();
  return files.map((file) => {
    const text = readFileSync(join(template, file), "utf8");
    const targetName = file.endsWith("ignore") ? `.${file}` : file; // npm drops a packed .gitignore
    mkdirSync(dirname(join(folder, targetName)), { recursive: true });
    writeFileSync(
      join(folder, targetName),
      text.replaceAll(/\{\{(\w+)\}\}/g, (_, key) => values[key]!),
    );
    return targetName;
  });
}
