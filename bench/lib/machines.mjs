// Simulated machines, for faults that processes alone cannot have. Each has its own network, a
// Linux network namespace behind a bridge, and its own disk, an ext4 file system in memory. Its
// cable can be unplugged, and its power can fail: the file system then loses all that was not
// flushed. Everything is removed, however the process ends.

import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { atExit } from "../../scripts/at-exit.mjs";

const DISK = "1G";
const ZRAM = "/sys/class/zram-control";
const PROGRAMS = ["ip", "mkfs.ext4", "mount", "nsenter", "python3", "umount"];
const RESTART_MS = 100;
/** Attempts while the files of a killed process are still busy. */
const BUSY_ATTEMPTS = 50;
const BUSY_MS = 100;
/** `EXT4_IOC_SHUTDOWN` without a flush of the journal. */
const SHUT_DOWN = `import fcntl, os, struct, sys
for folder in sys.argv[1:]: fcntl.ioctl(os.open(folder, 0), 0x8004587D, struct.pack("I", 2))`;

const execute = promisify(execFile);
const run = (...words) => execute(words[0], words.slice(1));

/** All machines of a system, their network, and this machine as one of them. */
export class Lab {
  #logs = [];
  #count = 0;
  #bridge = `svc${process.pid % 100_000}`;
  #network = `10.${100 + (process.pid % 100)}.${(process.pid >> 8) & 255}`;
  /** Functions that undo the setup, in reverse order. */
  #undo = [];

  /**
   * @param programs that the caller needs, too
   * @throws Error if this machine lacks a requirement; nothing is set up then
   */
  static async create(...programs) {
    requireAll([...PROGRAMS, ...programs]);
    const lab = new Lab();
    atExit(() => lab.close());
    lab.folder = mkdtempSync(join(tmpdir(), "svc-lab-"));
    lab.#undo.push(() => rmSync(lab.folder, { recursive: true }));
    await run("mount", "-t", "tmpfs", "tmpfs", lab.folder);
    lab.#undo.push(() => undo("umount", lab.folder));
    await run("ip", "link", "add", lab.#bridge, "type", "bridge");
    lab.#undo.push(() => undo("ip", "link", "delete", lab.#bridge));
    await run("ip", "address", "add", `${lab.host}/24`, "dev", lab.#bridge);
    await run("ip", "link", "set", lab.#bridge, "up");
    return lab;
  }

  /** Address of this machine, also for all others. */
  get host() {
    return `${this.#network}.1`;
  }

  get network() {
    return `${this.#network}.0/24`;
  }

  async add(name) {
    const host = `${this.#network}.${10 + this.#count++}`;
    const machine = new Machine(this, name, host, this.#bridge, this.#undo);
    await machine.install();
    return machine;
  }

  /** Runs a program on this machine, and restarts it whenever it exits. */
  keep(name, words, env = {}) {
    const log = join(this.folder, `${name}.log`);
    this.#logs.push({ name, log });
    const kept = new KeptProcess(words, env, log);
    this.#undo.push(() => kept.kill());
    return kept;
  }

  /** Last lines of all logs. */
  logs() {
    return this.#logs
      .map(({ name, log }) => {
        const lines = readFileSync(log, "utf8").split("\n");
        return [`== ${name}`, ...lines.slice(-30)].join("\n");
      })
      .join("\n");
  }

  close() {
    for (const step of this.#undo.splice(0).reverse()) {
      try {
        step();
      } catch (error) {
        console.error(error.message);
      }
    }
  }
}

/** @throws Error that names all missing requirements */
function requireAll(programs) {
  const folders = (process.env.PATH ?? "").split(":");
  const missing = programs.filter(
    (name) => !folders.some((folder) => existsSync(join(folder, name))),
  );
  if (process.getuid() !== 0) missing.push("the rights of root");
  if (!existsSync(ZRAM)) missing.push("zram (modprobe zram)");
  if (missing.length > 0) throw new Error(`this machine lacks ${missing.join(", ")}`);
}

/** Runs a program to completion; retries while a resource is busy. */
function undo(program, ...words) {
  for (let attempt = 1; ; attempt++) {
    const { status, stderr } = spawnSync(program, words, { encoding: "utf8" });
    if (status === 0) return;
    if (attempt === BUSY_ATTEMPTS) throw new Error(`${program} ${words.join(" ")}: ${stderr}`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS);
  }
}

/** Cuts the power of several machines at the same moment. */
export async function losePower(machines) {
  for (const machine of machines) machine.process.signal("SIGSTOP");
  await run("python3", "-c", SHUT_DOWN, ...machines.map(({ disk }) => disk));
  await Promise.all(machines.map((machine) => machine.process.end()));
}

class Machine {
  #lab;
  #bridge;
  #undo;
  /** Number of its disk. */
  #zram = "";

  constructor(lab, name, host, bridge, undoing) {
    this.name = name;
    this.host = host;
    this.disk = join(lab.folder, name);
    this.#lab = lab;
    this.#bridge = bridge;
    this.#undo = undoing;
    this.namespace = `${bridge}-${name}`;
    this.cable = `${bridge}${name}`.toLowerCase();
    this.process = null;
  }

  async install() {
    mkdirSync(this.disk);
    const zram = readFileSync(`${ZRAM}/hot_add`, "utf8").trim();
    this.#undo.push(() => writeFileSync(`${ZRAM}/hot_remove`, zram));
    this.#zram = zram;
    writeFileSync(`/sys/block/zram${zram}/disksize`, DISK);
    await run("mkfs.ext4", "-q", `/dev/zram${zram}`);
    await this.#mount();
    this.#undo.push(() => undo("umount", this.disk));
    await this.#installNetwork();
  }

  async #installNetwork() {
    const { namespace, cable } = this;
    const inside = ["ip", "-n", namespace];
    await run("ip", "netns", "add", namespace);
    this.#undo.push(() => undo("ip", "netns", "delete", namespace));
    await run("ip", "link", "add", cable, "type", "veth", "peer", "eth0", "netns", namespace);
    this.#undo.push(() => undo("ip", "link", "delete", cable));
    await run(...inside, "address", "add", `${this.host}/24`, "dev", "eth0");
    for (const device of ["eth0", "lo"]) await run(...inside, "link", "set", device, "up");
    await run("ip", "link", "set", cable, "up");
    await this.connect();
  }

  /** Runs a program, and restarts it whenever it exits. */
  keep(words, env) {
    // `ip netns exec` would keep the disks of other machines mounted.
    const inside = ["nsenter", `--net=/run/netns/${this.namespace}`, ...words];
    this.process = this.#lab.keep(this.name, inside, env);
  }

  connect() {
    return run("ip", "link", "set", this.cable, "master", this.#bridge);
  }

  /** Drops all packets without closing a connection. */
  disconnect() {
    return run("ip", "link", "set", this.cable, "nomaster");
  }

  /** Starts with the remaining contents of the disk. */
  async restorePower() {
    await run("umount", this.disk);
    await this.#mount();
    this.process.begin();
  }

  #mount() {
    return run("mount", `/dev/zram${this.#zram}`, this.disk);
  }
}

/** A process that is restarted whenever it exits, as by a supervisor. */
class KeptProcess {
  #words;
  #env;
  #log;
  #child = null;
  #isWanted = false;

  constructor(words, env, log) {
    this.#words = words;
    this.#env = { ...process.env, ...env };
    this.#log = log;
    this.begin();
  }

  begin() {
    this.#isWanted = true;
    const log = openSync(this.#log, "a");
    const [program, ...rest] = this.#words;
    const child = spawn(program, rest, { stdio: ["ignore", log, log], env: this.#env });
    this.#child = child;
    closeSync(log);
    child.once("exit", async () => {
      await delay(RESTART_MS);
      if (this.#isWanted && this.#child === child) this.begin();
    });
  }

  signal(name) {
    this.#child.kill(name);
  }

  /** Kills it for good. */
  kill() {
    this.#isWanted = false;
    this.#child.kill("SIGKILL");
  }

  /** Kills it for good; resolves when it has ended. */
  async end() {
    const { exitCode, signalCode } = this.#child;
    this.kill();
    if (exitCode === null && signalCode === null) await once(this.#child, "exit");
  }
}
