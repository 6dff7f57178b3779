// Connects `svc down` to a running `svc up` by a loopback port and a secret, in a file that only
// its owner can read. A process id would not suffice, because another process may have the same
// one later. After `svc up` was killed, the port may also belong to another program, so the secret
// is never sent: each end proves that it knows it, `svc up` first.
//
//   svc down                          svc up
//     {"nonce": c}                 ─►
//                                  ◄─   {"nonce": s, "proof": HMAC(c, s)}
//     {"request": r, "proof":      ─►
//       HMAC(s, c, r)}             ◄─   lines of text, then "done" or "failed"

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { SvcError } from "../../runtime/base/errors.js";
import { isPlainObject } from "../../runtime/base/plain-object.js";

const FILE = "up.json";
const HOST = "127.0.0.1";
/** Maximum number of received lines that were not read. */
const MAX_LINES = 100_000;
const ANSWER_TIMEOUT_MS = 5000;

export interface DownRequest {
  /** Null: all instances, and `svc up` itself. */
  readonly ids: readonly string[] | null;
  /** True to stop at once, without waiting for requests. */
  readonly force: boolean;
}

/** Stops the selected instances; each line goes to the client. */
export type ShutdownHandler = (
  request: DownRequest,
  report: (text: string) => void,
) => Promise<boolean>;

export class SupervisorSocket {
  readonly #file: string;
  readonly #token = randomBytes(32).toString("hex");
  readonly #server: Server;

  /** @param root folder of the system's data */
  constructor(root: string, down: ShutdownHandler) {
    this.#file = join(root, FILE);
    this.#server = createServer((socket) => {
      // The client may disconnect.
      socket.on("error", () => socket.destroy());
      void this.#serve(socket, down);
    });
  }

  /** @throws SvcError SVC3113 if another `svc up` serves that root */
  async open(root: string): Promise<void> {
    if (await isServed(root)) {
      throw new SvcError("SVC3113", `the system in ${root} is already up`);
    }
    await new Promise<void>((resolve) => this.#server.listen(0, HOST, resolve));
    const { port } = this.#server.address() as AddressInfo;
    mkdirSync(root, { recursive: true });
    const next = `${this.#file}.new-${process.pid}`;
    writeFileSync(next, JSON.stringify({ port, token: this.#token }), { mode: 0o600 });
    renameSync(next, this.#file);
  }

  close(): void {
    this.#server.close();
    rmSync(this.#file, { force: true });
  }

  async #serve(socket: Socket, down: ShutdownHandler): Promise<void> {
    const lines = new Lines(socket);
    const peerNonce = parse(await lines.next(ANSWER_TIMEOUT_MS))?.nonce;
    if (typeof peerNonce !== "string") return void socket.destroy();
    const nonce = randomBytes(32).toString("hex");
    socket.write(`${JSON.stringify({ nonce, proof: proofOf(this.#token, peerNonce, nonce) })}\n`);
    const { request: text, proof } = parse(await lines.next(ANSWER_TIMEOUT_MS)) ?? {};
    const isKnown = typeof text === "string" && isProof(proof, this.#token, nonce, peerNonce, text);
    const order = isKnown ? parse(text) : null;
    if (order === null) return void socket.destroy();
    const { ids, force } = order;
    const isList = Array.isArray(ids) && ids.every((id) => typeof id === "string");
    const request = { ids: isList ? (ids as string[]) : null, force: force === true };
    const isDone = await down(request, (text) => socket.write(`: ${text}\n`));
    socket.end(isDone ? "done\n" : "failed\n");
  }
}

function proofOf(token: string, ...parts: readonly string[]): string {
  return createHmac("sha256", token).update(JSON.stringify(parts)).digest("hex");
}

function isProof(proof: unknown, token: string, ...parts: readonly string[]): boolean {
  const shown = Buffer.from(typeof proof === "string" ? proof : "");
  const right = Buffer.from(proofOf(token, ...parts));
  return shown.length === right.length && timingSafeEqual(shown, right);
}

/**
 * Requests a running `svc up` to stop instances; `tell` receives each line of output.
 * @returns whether all have stopped
 * @throws SvcError SVC3114 if no `svc up` is running
 */
export async function requestShutdown(
  root: string,
  request: DownRequest,
  report: (text: string) => void,
): Promise<boolean> {
  const up = await reach(root);
  const text = JSON.stringify(request);
  const proof = proofOf(up.token, up.peerNonce, up.nonce, text);
  up.socket.write(`${JSON.stringify({ request: text, proof })}\n`);
  for (;;) {
    const line = await up.lines.next();
    // A supervisor that stops everything may exit before it reports.
    if (line === null || !line.startsWith(": ")) return line === null || line === "done";
    report(line.slice(2));
  }
}

async function isServed(root: string): Promise<boolean> {
  try {
    (await reach(root)).socket.destroy();
    return true;
  } catch {
    return false;
  }
}

interface Reached {
  readonly socket: Socket;
  readonly lines: Lines;
  readonly token: string;
  readonly nonce: string;
  /** Nonce of the other end. */
  readonly peerNonce: string;
}

/**
 * Connects, and requires the other end to prove that it is `svc up`.
 * @throws SvcError SVC3114
 */
async function reach(root: string): Promise<Reached> {
  const { port, token } = readSupervisorAddress(root);
  const socket = connect({ host: HOST, port });
  const lines = new Lines(socket);
  const nonce = randomBytes(32).toString("hex");
  socket.write(`${JSON.stringify({ nonce })}\n`);
  const { nonce: peerNonce, proof } = parse(await lines.next(ANSWER_TIMEOUT_MS)) ?? {};
  if (typeof peerNonce === "string" && isProof(proof, token, nonce, peerNonce)) {
    return { socket, lines, token, nonce, peerNonce };
  }
  socket.destroy();
  const reason = lines.failure ?? "its port is in use by another program";
  throw new SvcError("SVC3114", `no system is up in ${root}: ${reason}`);
}

function readSupervisorAddress(root: string): { readonly port: number; readonly token: string } {
  const file = join(root, FILE);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new SvcError("SVC3114", `no system is up in ${root}`, { cause: error });
  }
  const { port, token } = parse(text) ?? {};
  if (!Number.isInteger(port) || Number(port) > 65_535 || typeof token !== "string") {
    throw new SvcError("SVC3114", `${file} has no address of the system`);
  }
  return { port: port as number, token };
}

function parse(text: string | null): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return isPlainObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Splits the data of a connection into lines. */
class Lines {
  /** Error that ended the connection, if any. */
  failure: string | null = null;
  readonly #socket: Socket;
  #received = "";
  #isOver = false;
  #changed: () => void = () => {};

  constructor(socket: Socket) {
    this.#socket = socket;
    const change = (): void => this.#changed();
    socket.setEncoding("utf8").on("data", (piece: string) => {
      this.#received += piece;
      if (this.#received.length > MAX_LINES) socket.destroy();
      change();
    });
    socket.on("error", (error) => {
      this.failure = error.message;
    });
    socket.on("close", () => {
      this.#isOver = true;
      change();
    });
  }

  /** Returns the next line; null after the end, or at the timeout. */
  async next(timeoutMs: number | null = null): Promise<string | null> {
    const timer = timeoutMs === null ? undefined : setTimeout(() => this.#giveUp(), timeoutMs);
    let at = this.#received.indexOf("\n");
    while (at < 0 && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
      at = this.#received.indexOf("\n");
    }
    clearTimeout(timer);
    if (at < 0) return null;
    const line = this.#received.slice(0, at);
    this.#received = this.#received.slice(at + 1);
    return line;
  }

  #giveUp(): void {
    this.failure = "no response";
    this.#socket.destroy();
  }
}
