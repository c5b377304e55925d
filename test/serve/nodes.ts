import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";

import { makeFolder } from "./outside.ts";
import type { Cleanup } from "./outside.ts";

export const COMMAND = new URL("../../dist/bin/platform.js", import.meta.url).pathname;

/** `platform serve` as one of several nodes on a store that they share. */
export interface Node {
  readonly dir: string;
  readonly url: string;
  readonly process: ChildProcess;
  readonly log: () => string;
  /** Exit code, or the name of the signal that ended it. */
  readonly exited: Promise<number | string>;
  admin(method: string, path: string, body?: object): Promise<NodeAnswer>;
  call(key: string, method: string, path: string, options?: NodeCall): Promise<NodeAnswer>;
}

export interface NodeCall {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface NodeAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  // The tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
}

/** Starts a node in a folder of its own and waits until it serves. */
export async function startNode(
  cleanup: Cleanup,
  config: object,
  args: readonly string[] = [],
  folder?: string,
): Promise<Node> {
  const dir = folder ?? (await makeFolder(cleanup));
  await mkdir(dir, { recursive: true });
  const settings = {
    baseUrl: "http://127.0.0.1",
    server: { port: 0 },
    mail: { transport: "console" },
    log: { level: "warn" },
    ...config,
  };
  await writeFile(join(dir, "platform.config.json"), JSON.stringify(settings));
  const child = spawn(process.execPath, [COMMAND, "serve", ...args], {
    cwd: dir,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"] },
  });
  let log = "";
  const listen = (chunk: Buffer): void => void (log += chunk.toString());
  child.stdout.on("data", listen);
  child.stderr.on("data", listen);
  let ended: number | string | null = null;
  const exited = new Promise<number | string>((resolve) => {
    child.once("exit", (code, signal) => {
      ended = signal ?? code ?? "unknown";
      resolve(ended);
    });
  });
  cleanup.add(async () => {
    if (ended === null) child.kill("SIGKILL");
    await exited;
  });
  for (;;) {
    if (ended !== null) throw new Error(`platform serve ended with ${String(ended)}:\n${log}`);
    const run = await readRun(join(dir, ".platform", "run.json"));
    if (run !== null)
      return { dir, url: run.url, process: child, log: () => log, exited, ...toCalls(run.url, run.token) };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// A connection that is used again may have been closed by the server at that very moment: each request has its own.
const agent = new Agent({ keepAlive: false, maxSockets: 32 });

function toCalls(url: string, token: string): Pick<Node, "admin" | "call"> {
  const send = async (
    bearer: string,
    method: string,
    path: string,
    { body, headers = {} }: NodeCall = {},
  ): Promise<NodeAnswer> => {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const sent = { authorization: `Bearer ${bearer}`, ...type, ...headers };
    const outgoing = request(url + path, { method, headers: sent, agent });
    const arrived = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once("response", resolve).once("error", reject);
    });
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    const incoming = await arrived;
    const text = await readText(incoming);
    return {
      status: incoming.statusCode ?? 0,
      retryAfter: incoming.headers["retry-after"],
      json: text === "" ? null : JSON.parse(text),
    };
  };
  return {
    admin: (method, path, body) =>
      send(token, method, `/api/platform/admin${path}`, body === undefined ? {} : { body }),
    call: send,
  };
}

async function readRun(file: string): Promise<{ url: string; token: string } | null> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return null;
  }
}

/** A verified customer with a store and a key that has every scope. */
export async function makeShop(node: Node, name: string) {
  const customer = await node.admin("POST", "/customers", {
    email: `${name}@shop.example`,
    storeIdentifier: name,
    mail: false,
  });
  const id: string = customer.json.data.customer_id;
  const verified = await node.admin("POST", `/customers/${id}/verify`);
  if (verified.status >= 400) throw new Error(JSON.stringify(verified.json));
  const issued = await node.admin("POST", "/keys", { customer_id: id, preset: "full", name });
  if (issued.status !== 201) throw new Error(JSON.stringify(issued.json));
  return { customerId: id, key: issued.json.data.api_key, keyId: issued.json.data.id };
}

/** Process ids of the workers of a node. */
export function childrenOf(pid: number): number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return list === "" ? [] : list.split(" ").map(Number);
}
