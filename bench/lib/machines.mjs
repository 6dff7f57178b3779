// Machines on this one, for faults that processes alone cannot have: each has a network of its own,
// a Linux network namespace behind a bridge, and a disk of its own, an ext4 file system in memory.
// Its cable can be pulled, and its power can fail: the file system then forgets all that was not
// flushed. Needs root, zram, iproute2, e2fsprogs and python3.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
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

const DISK = "1G";
const ZRAM = "/sys/class/zram-control";
const RESTART_MS = 100;
/** `EXT4_IOC_SHUTDOWN` without a flush of the journal. */
const SHUT_DOWN = `import fcntl, os, struct, sys
for folder in sys.argv[1:]: fcntl.ioctl(os.open(folder, 0), 0x8004587D, struct.pack("I", 2))`;

const execute = promisify(execFile);
const run = (...words) => execute(words[0], words.slice(1));

/** All machines of a system, their network, and this machine as one of them. */
export class Lab {
  #machines = [];
  #bridge = `svc${process.pid % 100_000}`;
  #network = `10.${100 + (process.pid % 100)}.${(process.pid >> 8) & 255}`;

  static async create() {
    const lab = new Lab();
    lab.folder = mkdtempSync(join(tmpdir(), "svc-lab-"));
    await run("mount", "-t", "tmpfs", "tmpfs", lab.folder);
    await run("ip", "link", "add", lab.#bridge, "type", "bridge");
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
    const host = `${this.#network}.${10 + this.#machines.length}`;
    const machine = new Machine(this.folder, name, host, this.#bridge);
    this.#machines.push(machine);
    await machine.install();
    return machine;
  }

  /** Runs a program on this machine; it is started again whenever it ends. */
  keep(name, words, env) {
    const kept = new KeptProcess(words, env, join(this.folder, `${name}.log`));
    this.#machines.push({ name, stop: () => kept.end(), close() {} });
    return kept;
  }

  /** Last lines of all logs. */
  logs() {
    return this.#machines
      .map(({ name }) => {
        const lines = readFileSync(join(this.folder, `${name}.log`), "utf8").split("\n");
        return [`== ${name}`, ...lines.slice(-30)].join("\n");
      })
      .join("\n");
  }

  async close() {
    for (const machine of this.#machines) await machine.stop();
    for (const machine of this.#machines) await machine.close();
    await run("ip", "link", "delete", this.#bridge);
    await run("umount", this.folder);
    rmSync(this.folder, { recursive: true });
  }
}

/** The power of some machines fails at the same moment. */
export async function losePower(machines) {
  for (const machine of machines) machine.process.signal("SIGSTOP");
  await run("python3", "-c", SHUT_DOWN, ...machines.map(({ disk }) => disk));
  await Promise.all(machines.map((machine) => machine.process.end()));
}

class Machine {
  #bridge;
  /** Number of its disk. */
  #zram = "";

  constructor(folder, name, host, bridge) {
    this.name = name;
    this.host = host;
    this.disk = join(folder, name);
    this.log = join(folder, `${name}.log`);
    this.#bridge = bridge;
    this.namespace = `${bridge}-${name}`;
    this.cable = `${bridge}${name}`.toLowerCase();
    this.process = null;
  }

  async install() {
    mkdirSync(this.disk);
    this.#zram = readFileSync(`${ZRAM}/hot_add`, "utf8").trim();
    writeFileSync(`/sys/block/zram${this.#zram}/disksize`, DISK);
    await run("mkfs.ext4", "-q", `/dev/zram${this.#zram}`);
    await this.#mount();
    const { namespace, cable } = this;
    const inside = ["ip", "-n", namespace];
    await run("ip", "netns", "add", namespace);
    await run("ip", "link", "add", cable, "type", "veth", "peer", "eth0", "netns", namespace);
    await run(...inside, "address", "add", `${this.host}/24`, "dev", "eth0");
    for (const device of ["eth0", "lo"]) await run(...inside, "link", "set", device, "up");
    await run("ip", "link", "set", cable, "up");
    await this.connect();
  }

  /** Runs a program; it is started again whenever it ends. */
  keep(words, env) {
    // `ip netns exec` would keep the disks of other machines mounted.
    const inside = ["nsenter", `--net=/run/netns/${this.namespace}`, ...words];
    this.process = new KeptProcess(inside, env, this.log);
  }

  connect() {
    return run("ip", "link", "set", this.cable, "master", this.#bridge);
  }

  /** Packets vanish; no connection is closed. */
  disconnect() {
    return run("ip", "link", "set", this.cable, "nomaster");
  }

  /** Starts with what the disk has kept. */
  async restorePower() {
    await run("umount", this.disk);
    await this.#mount();
    this.process.begin();
  }

  #mount() {
    return run("mount", `/dev/zram${this.#zram}`, this.disk);
  }

  stop() {
    return this.process?.end();
  }

  async close() {
    await run("umount", this.disk);
    writeFileSync(`${ZRAM}/hot_remove`, this.#zram);
    await run("ip", "link", "delete", this.cable);
    await run("ip", "netns", "delete", this.namespace);
  }
}

/** A process that is started again whenever it ends, as a supervisor does. */
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
  async end() {
    this.#isWanted = false;
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return;
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
  }
}
