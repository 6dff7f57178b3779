// Downloads the C library of a newer Debian release and returns the command that starts node with
// it: the uWebSockets binary needs a newer glibc than many machines have, and starting the dynamic
// loader of the newer library by its path is sufficient. apt downloads and dpkg-deb unpacks into
// one folder, with separate state and cache: no root, and no change of the machine.

import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const NEWER_SUITE = "trixie";
const PACKAGES = ["libc6", "libstdc++6", "libgcc-s1"];
/** Name of the dynamic loader, and of its library folder, by `process.arch`. */
const LOADERS = {
  x64: { loader: "ld-linux-x86-64.so.2", folder: "x86_64-linux-gnu" },
  arm64: { loader: "ld-linux-aarch64.so.1", folder: "aarch64-linux-gnu" },
};

/**
 * The command that starts node with the newer library; downloads it on the first call.
 * @param {string} folder cache folder of the library
 * @returns {string[]}
 * @throws Error that names the missing tool or package
 */
export function newerLibcCommand(folder) {
  const names = LOADERS[process.arch];
  if (process.platform !== "linux" || names === undefined) {
    throw new Error(`no newer C library for ${process.platform} ${process.arch}`);
  }
  const libraries = join(folder, "lib");
  const loader = join(libraries, names.loader);
  if (!existsSync(loader)) {
    download(folder);
    // Last, so that a folder with this name is always complete.
    renameSync(join(folder, "root/usr/lib", names.folder), libraries);
    rmSync(join(folder, "root"), { recursive: true });
  }
  return [loader, "--library-path", libraries, process.execPath];
}

function download(folder) {
  const source = newerSource();
  rmSync(folder, { recursive: true, force: true });
  for (const name of ["state/lists/partial", "cache/archives/partial", "packages"]) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, "sources.list"), source);
  writeFileSync(join(folder, "status"), "");
  const options = [
    `Dir::Etc::sourcelist=${join(folder, "sources.list")}`,
    "Dir::Etc::sourceparts=/dev/null",
    `Dir::State=${join(folder, "state")}`,
    `Dir::State::status=${join(folder, "status")}`,
    `Dir::Cache=${join(folder, "cache")}`,
    // apt's own user cannot write into a private folder.
    "APT::Sandbox::User=",
    "APT::Update::Error-Mode=any",
  ].flatMap((option) => ["-o", option]);
  const packages = join(folder, "packages");
  run("apt-get", [...options, "--quiet", "update"], packages);
  run("apt-get", [...options, "--quiet", "download", ...PACKAGES], packages);
  for (const name of readdirSync(packages)) {
    run("dpkg-deb", ["-x", join(packages, name), join(folder, "root")], packages);
  }
  for (const name of ["state", "cache", "packages"]) {
    rmSync(join(folder, name), { recursive: true });
  }
}

/** The machine's own Debian sources, with the newer release. */
function newerSource() {
  const release = readIfThere("/etc/os-release");
  const codename = /^VERSION_CODENAME=(\w+)$/m.exec(release)?.[1];
  if (!/^ID=debian$/m.test(release) || codename === undefined) {
    throw new Error("the C library is too old, and only Debian offers a newer one by apt");
  }
  const parts = "/etc/apt/sources.list.d";
  const files = existsSync(parts) ? readdirSync(parts).map((name) => join(parts, name)) : [];
  const lines = ["/etc/apt/sources.list", ...files].flatMap((path) =>
    path.endsWith(".sources") ? stanzaLines(readIfThere(path)) : readIfThere(path).split("\n"),
  );
  const chosen = lines
    .map((line) => /^deb (\[.*\] )?(\S+\/debian\/?) (\S+) main\b/.exec(line))
    .filter((match) => match !== null && match[3] === codename)
    .map(([, flags = "", uri]) => `deb ${flags}${uri} ${NEWER_SUITE} main\n`);
  if (chosen.length === 0) throw new Error(`apt has no source of Debian ${codename}`);
  return chosen[0];
}

/** The stanzas of a `.sources` file in the one-line format. */
function stanzaLines(text) {
  const withoutComments = text.replace(/^#.*\n/gm, "");
  return withoutComments.split(/\n\s*\n/).flatMap((stanza) => {
    const field = (name) => new RegExp(`^${name}: *(.*)$`, "mi").exec(stanza)?.[1] ?? "";
    if (!field("Types").split(" ").includes("deb")) return [];
    const key = field("Signed-By");
    const flags = key === "" ? "" : `[signed-by=${key}] `;
    const components = field("Components");
    return field("URIs")
      .split(" ")
      .flatMap((uri) =>
        field("Suites")
          .split(" ")
          .map((suite) => `deb ${flags}${uri} ${suite} ${components}`),
      );
  });
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function run(command, args, cwd) {
  const result = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (result.error) throw new Error(`${command}: ${result.error.message}`);
  if (result.status !== 0) {
    throw new Error(`${command} failed: ${result.stderr.trim().split("\n").at(-1)}`);
  }
}
