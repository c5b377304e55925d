import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const REDIS_MISSING = "redis-server is not installed: apt-get install redis-server";

/**
 * Whether this machine has a redis-server; tests that need one are skipped otherwise, and redis.test.ts says so in one line.
 * Where nothing may be skipped (CI, PLATFORM_TEST_REQUIRE=1) its absence is an error.
 */
export const hasRedis: boolean = spawnSync("redis-server", ["--version"]).status === 0;
if (!hasRedis && (process.env["CI"] !== undefined || process.env["PLATFORM_TEST_REQUIRE"] === "1")) {
  throw new Error(REDIS_MISSING);
}

/** A redis-server of one's own: on loopback, in a folder that goes with it, killed with this process at the latest. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Its folder, with its append-only file. */
  readonly dir: string;
  readonly pid: number;
  /** Sends a signal: SIGKILL ends it at once, SIGSTOP and SIGCONT pause it. Resolves when a killed one has ended. */
  signal(name: "SIGKILL" | "SIGTERM" | "SIGSTOP" | "SIGCONT"): Promise<void>;
  /** Starts it again on what it left, on the same port. Resolves when it answers. */
  restart(): Promise<void>;
  /** Runs a command by redis-cli and returns what it prints. */
  cli(...args: string[]): string;
  stop(): Promise<void>;
}

export interface RedisServerOptions {
  /**
   * Further settings, `["--maxmemory", "10mb"]`. Unless they say otherwise, the log is synced before each answer: with
   * `everysec`, Redis answers before it writes while the disk is busy with its last second, and a kill takes what it acknowledged.
   */
  readonly settings?: readonly string[];
  /** Without an append-only file. */
  readonly volatile?: boolean;
  readonly cluster?: boolean;
}

const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts a redis-server with an append-only file; resolves when it answers. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const dir = await mkdtemp(join(tmpdir(), "redis-test-"));
  const port = await findPort();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", dir, "--save", ""];
  args.push("--appendonly", options.volatile === true ? "no" : "yes", "--logfile", join(dir, "log"));
  args.push("--appendfsync", "always");
  if (options.cluster === true) {
    const bus = String(await findPort());
    args.push("--cluster-enabled", "yes", "--cluster-port", bus, "--cluster-node-timeout", "2000");
  }
  args.push(...(options.settings ?? []));
  let child = await launch(args, port);
  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    port,
    dir,
    get pid() {
      return child.pid ?? 0;
    },
    async signal(name) {
      child.kill(name);
      if (name === "SIGKILL" || name === "SIGTERM") await ended(child);
    },
    async restart() {
      child = await launch(args, port);
    },
    cli: (...command) => {
      const { stdout, stderr } = spawnSync("redis-cli", ["-p", String(port), ...command], {
        encoding: "utf8",
      });
      return `${stdout}${stderr}`.trim();
    },
    async stop() {
      await server.signal("SIGKILL");
      // A child that rewrites the append-only file may outlast the server for a moment, and write.
      await rm(dir, { recursive: true, force: true, maxRetries: 10 });
    },
  };
  return server;
}

async function launch(args: readonly string[], port: number): Promise<ChildProcess> {
  const child = spawn("redis-server", args, { stdio: "ignore" });
  running.add(child);
  child.once("exit", () => running.delete(child));
  for (let tries = 0; tries < 400; tries++) {
    if (child.exitCode !== null) throw new Error(`redis-server ended at once: ${args.join(" ")}`);
    if (await answers(port)) return child;
    await sleep(25);
  }
  child.kill("SIGKILL");
  throw new Error("redis-server does not answer");
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => child.once("exit", resolve));
}

/** Answers PING, if only by asking for a password: not while it reads its log. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1", () => socket.write("PING\r\n"));
    const done = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("data", (bytes) => done(/^(\+PONG|-NOAUTH)/.test(bytes.toString())));
    socket.once("error", () => done(false));
    socket.setTimeout(1000, () => done(false));
  });
}

/** A free port below those that the system gives to outgoing connections: it stays free over a restart. */
async function findPort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once("error", () => resolve(false));
      probe.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => probe.close(resolve));
    return port;
  }
}

export interface RedisCluster {
  readonly nodes: readonly RedisServer[];
  readonly urls: readonly string[];
  stop(): Promise<void>;
}

/** Three primaries that share the slots; resolves when each of them says that the cluster is whole. */
export async function startRedisCluster(
  options: Omit<RedisServerOptions, "cluster"> = {},
): Promise<RedisCluster> {
  const nodes = await Promise.all([0, 1, 2].map(() => startRedis({ ...options, cluster: true })));
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
  const [first] = nodes;
  const made = first?.cli("--cluster", "create", ...addresses, "--cluster-yes") ?? "";
  if (!made.includes("All 16384 slots covered")) throw new Error(`no cluster: ${made}`);
  for (const node of nodes) {
    while (!node.cli("cluster", "info").includes("cluster_state:ok")) await sleep(50);
  }
  return {
    nodes,
    urls: nodes.map(({ url }) => url),
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}
