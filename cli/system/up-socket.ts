// How `svc down` reaches a running `svc up`: a port of this machine and a secret, in a file that
// its owner alone can read. Process ids would not do: another process may have got the number.

import { randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { SvcError } from "../../runtime/base/errors.js";
import { isPlainObject } from "../../runtime/settings/rules.js";

const FILE = "up.json";
const HOST = "127.0.0.1";
const MAX_LINE = 20_000;
const LINE_TIMEOUT_MS = 5000;
const CONNECT_TIMEOUT_MS = 5000;
const PING_TIMEOUT_MS = 5000;

export interface DownRequest {
  /** Null: all, and `svc up` with them. */
  readonly ids: readonly string[] | null;
  /** At once, without waiting for requests. */
  readonly force: boolean;
}

/** Ends what is asked for; each text that it tells goes to whoever asked. */
export type Down = (request: DownRequest, tell: (text: string) => void) => Promise<boolean>;

export class UpSocket {
  readonly #file: string;
  readonly #token = randomBytes(32).toString("hex");
  readonly #server: Server;

  /** @param root folder of the system's data */
  constructor(root: string, down: Down) {
    this.#file = join(root, FILE);
    this.#server = createServer((socket) => {
      // Whoever asked may go away.
      socket.on("error", () => socket.destroy());
      void this.#serve(socket, down);
    });
  }

  /** @throws SvcError SVC3113 when another `svc up` serves that root */
  async open(root: string): Promise<void> {
    if (await isServed(root)) {
      throw new SvcError("SVC3113", `the system in ${root} is up already`);
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

  async #serve(socket: Socket, down: Down): Promise<void> {
    const asked = parse(await readLine(socket));
    if (asked === null || !this.#knows(asked.token)) {
      socket.destroy();
      return;
    }
    if (asked.do === "ping") {
      socket.end("done\n");
      return;
    }
    const { ids, force } = asked;
    const isList = Array.isArray(ids) && ids.every((id) => typeof id === "string");
    const request = { ids: isList ? (ids as string[]) : null, force: force === true };
    const isDone = await down(request, (text) => socket.write(`: ${text}\n`));
    socket.end(isDone ? "done\n" : "failed\n");
  }

  #knows(token: unknown): boolean {
    const given = Buffer.from(typeof token === "string" ? token : "");
    const right = Buffer.from(this.#token);
    return given.length === right.length && timingSafeEqual(given, right);
  }
}

/**
 * Asks a running `svc up` to end instances; `tell` gets each line that it says.
 * @returns whether all have ended
 * @throws SvcError SVC3114 when there is none
 */
export async function askDown(
  root: string,
  request: DownRequest,
  tell: (text: string) => void,
): Promise<boolean> {
  await ping(root);
  // Who ends everything may end before it has said so.
  return (await converse(root, { do: "down", ...request }, tell)) ?? true;
}

async function isServed(root: string): Promise<boolean> {
  try {
    await ping(root);
    return true;
  } catch {
    return false;
  }
}

/**
 * The port of one that was killed may be another program's by now, which says anything or nothing.
 * @throws SvcError SVC3114
 */
async function ping(root: string): Promise<void> {
  const isUp = await converse(root, { do: "ping" }, () => {}, PING_TIMEOUT_MS);
  if (isUp === true) return;
  throw new SvcError("SVC3114", `nothing is up in ${root}: another program has its port`);
}

/** @returns whether it is done; null where the other end does not say */
async function converse(
  root: string,
  request: object,
  tell: (text: string) => void,
  timeoutMs: number | null = null,
): Promise<boolean | null> {
  const { port, token } = whereabouts(root);
  const socket = connect({ host: HOST, port }).setEncoding("utf8");
  const late = (): void => void socket.destroy(new Error("no answer"));
  const timer = timeoutMs === null ? undefined : setTimeout(late, timeoutMs);
  socket.setTimeout(CONNECT_TIMEOUT_MS, () => {
    if (socket.connecting) late();
  });
  socket.write(`${JSON.stringify({ token, ...request })}\n`);
  let rest = "";
  try {
    for await (const piece of socket) {
      const lines = (rest + (piece as string)).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        if (!line.startsWith(": ")) return line === "done";
        tell(line.slice(2));
      }
    }
  } catch (error) {
    const text = `nothing is up in ${root}: ${(error as Error).message}`;
    throw new SvcError("SVC3114", text, { cause: error });
  } finally {
    clearTimeout(timer);
  }
  return rest === "" ? null : false;
}

function whereabouts(root: string): { readonly port: number; readonly token: string } {
  const file = join(root, FILE);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new SvcError("SVC3114", `nothing is up in ${root}`, { cause: error });
  }
  const { port, token } = parse(text) ?? {};
  if (!Number.isInteger(port) || Number(port) > 65_535 || typeof token !== "string") {
    throw new SvcError("SVC3114", `${file} does not say where the system is`);
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

/** The first line; null for one that is too long, or too late. */
function readLine(socket: Socket): Promise<string | null> {
  return new Promise((resolve) => {
    let received = "";
    const timer = setTimeout(() => resolve(null), LINE_TIMEOUT_MS);
    const end = (line: string | null): void => {
      clearTimeout(timer);
      resolve(line);
    };
    socket.setEncoding("utf8").on("data", (piece: string) => {
      received += piece;
      const at = received.indexOf("\n");
      if (at >= 0) end(received.slice(0, at));
      else if (received.length > MAX_LINE) end(null);
    });
    socket.on("close", () => end(null));
  });
}
