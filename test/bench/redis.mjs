import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { promisify } from "node:util";

import { PAGE } from "./dataset.mjs";
import { startOurs } from "./ours.mjs";
import { timeSizes } from "./pages.mjs";
import { stop } from "./processes.mjs";
import { spread } from "./report.mjs";

const run = promisify(execFile);
const CONNECTIONS = 64;
const SIZES = [1000, 100_000, 1_000_000];

/** The authenticated page on Redis with one and two nodes against fs, and page cost against the size of a collection. */
export async function benchRedis(options) {
  if (!hasRedis()) {
    console.error("redis: not run, redis-server is not installed");
    return [];
  }
  return [...(await benchNodes(options)), await benchSizes(options)];
}

async function benchNodes({ rounds, seconds }) {
  const scratch = mkdtempSync(`${tmpdir()}/platform-bench-`);
  const servers = [await startRedis(`${scratch}/one`), await startRedis(`${scratch}/two`)];
  const [one, two] = servers.map(({ url }) => ({ driver: "redis", url, allowVolatile: true }));
  const contestants = {
    fs: await startOurs(scratch),
    "Redis, one node": await startOurs(mkdtempSync(`${scratch}/a-`), { storage: one }),
    "Redis, two nodes": await startOurs(mkdtempSync(`${scratch}/b-`), { storage: two, nodes: 2 }),
  };
  const measured = new Map(Object.keys(contestants).map((name) => [name, []]));
  const cpu = { "node on fs": [], "node on Redis": [], Redis: [] };
  const watched = {
    fs: { "node on fs": contestants.fs.pids[0] },
    "Redis, one node": {
      "node on Redis": contestants["Redis, one node"].pids[0],
      Redis: servers[0].pid,
    },
  };
  try {
    for (let round = 0; round < rounds + 1; round += 1) {
      for (const [name, ours] of Object.entries(contestants)) {
        const own = hasProc ? Object.entries(watched[name] ?? {}) : [];
        const before = own.map(([, pid]) => cpuMicros(pid));
        const { perSecond, requests } = await load(ours, round === 0 ? 1 : seconds);
        if (round === 0) continue;
        measured.get(name).push(perSecond);
        for (const [index, [who, pid]] of own.entries())
          cpu[who].push((cpuMicros(pid) - before[index]) / requests);
      }
    }
  } finally {
    await Promise.all(Object.values(contestants).map((ours) => ours.stop()));
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(scratch, { recursive: true, force: true });
  }
  const fs = spread(measured.get("fs")).median;
  const rows = [...measured].map(([name, values]) => ({
    name,
    values,
    ratios: name === "fs" ? {} : { fs: spread(values).median / fs },
  }));
  const title = `Authenticated page of ${PAGE}, ${CONNECTIONS} connections over all nodes`;
  const note =
    "Servers, Redis and the generator share the cores of one machine: two nodes gain where there are cores for them.";
  const page = { title, unit: "req/s", rows, notes: [note] };
  return hasProc ? [page, toCpu(cpu)] : [page];
}

function toCpu(cpu) {
  const onFs = spread(cpu["node on fs"]).median;
  const rows = Object.entries(cpu).map(([name, values]) => ({
    name,
    values,
    ratios: name === "node on Redis" ? { "node on fs": spread(values).median / onFs } : {},
  }));
  const notes = ["The goal is 1.4 × node on fs, and 15 µs of Redis."];
  return { title: "CPU time of a process for a page, one node", unit: "µs", rows, notes };
}

const hasProc = existsSync("/proc/self/stat");

/** Microseconds of CPU time that a process has used, from Linux's /proc. */
function cpuMicros(pid) {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8")
    .split(") ")
    .at(-1)
    .split(" ")
    .slice(11, 13);
  const ticks = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  return ((Number(user) + Number(system)) / ticks) * 1e6;
}

/** Requests of all nodes together, each under its share of the connections. */
async function load({ urls, path, token }, seconds) {
  const file = new URL("load.mjs", import.meta.url).pathname;
  const results = await Promise.all(
    urls.map(async (url) => {
      const headers = { authorization: `Bearer ${token}` };
      const job = { url: url + path, headers, connections: CONNECTIONS / urls.length, seconds };
      const { stdout } = await run(process.execPath, [file, JSON.stringify(job)]);
      return JSON.parse(stdout);
    }),
  );
  if (results.some(({ others }) => others > 0))
    throw new Error(`not all answers were 2xx: ${JSON.stringify(results)}`);
  return {
    perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
    requests: results.reduce((sum, { ok }) => sum + ok, 0),
  };
}

async function benchSizes({ rounds }) {
  const { openRedisDriver } = await import("../../dist/bench/server/storage/redis.js");
  const scratch = mkdtempSync(`${tmpdir()}/platform-bench-`);
  const server = await startRedis(`${scratch}/sizes`);
  try {
    const open = (size) => openRedisDriver({ url: server.url, prefix: `s${size}:`, allowVolatile: true });
    const section = await timeSizes(open, { sizes: SIZES, rounds, count: 1000 });
    return { title: `One page of ${PAGE} through an index, Redis driver`, ...section };
  } finally {
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

export const hasRedis = () => spawnSync("redis-server", ["--version"]).error === undefined;

/** A Redis of its own, without an append-only file: what is measured here are reads and limits. */
export async function startRedis(dir) {
  const port = await freePort();
  const args = [
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--save",
    "",
    "--dir",
    tmpdir(),
    "--logfile",
    `${dir}.log`,
  ];
  const child = spawn("redis-server", args, { stdio: "ignore" });
  while (!(await answers(port))) await new Promise((resolve) => setTimeout(resolve, 20));
  const memory = async () => {
    const { stdout } = await run("redis-cli", ["-p", String(port), "info", "memory"]);
    return { used: Number(/used_memory:(\d+)/.exec(stdout)[1]) };
  };
  return { url: `redis://127.0.0.1:${port}`, pid: child.pid, memory, stop: () => stop(child) };
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
