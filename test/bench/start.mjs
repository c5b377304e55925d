import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { fill } from "./pages.mjs";
import { spread } from "./report.mjs";

const SIZE = 100_000;
const cli = new URL("../../dist/bin/platform.js", import.meta.url).pathname;

/** Time and memory to open a store of 100,000 documents, until a server is ready, and of commands compared with bare node. */
export async function benchStart({ rounds }) {
  const { openFsDriver } = await import("../../dist/bench/server/storage/fs.js");
  const clock = { now: () => Date.now() };
  const base = mkdtempSync(`${tmpdir()}/platform-start-`);
  const store = await openFsDriver({ base, clock });
  await fill(store, SIZE);
  await store.close();
  const opening = [];
  const memory = [];
  const times = { "node -e 0": [], "platform --version": [], "platform --help": [], "platform call": [] };
  const answerer = spawn(process.execPath, ["-e", ANSWERER], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = await once(answerer.stdout, "data");
  const call = [cli, "call", "/v1/delivery/zones", "--url", `http://127.0.0.1:${String(port).trim()}`];
  const servers = { "platform serve, empty store": [], "platform dev, with demo data": [] };
  for (let round = 0; round < rounds; round += 1) {
    servers["platform serve, empty store"].push(await startOnce("serve"));
    servers["platform dev, with demo data"].push(await startOnce("dev"));
    const child = new URL("servers/open.mjs", import.meta.url).pathname;
    const told = JSON.parse(
      execFileSync(process.execPath, ["--expose-gc", child, base], { encoding: "utf8" }),
    );
    opening.push(told.milliseconds);
    memory.push(told.megabytes);
    times["node -e 0"].push(timeOf(["-e", "0"]));
    times["platform --version"].push(timeOf([cli, "--version"]));
    times["platform --help"].push(timeOf([cli, "--help"]));
    times["platform call"].push(timeOf(call, { PLATFORM_API_KEY: `plat_live_${"0".repeat(36)}` }));
  }
  answerer.kill();
  rmSync(base, { recursive: true, force: true });
  const bare = spread(times["node -e 0"]).median;
  const starts = Object.entries(times).map(([name, values]) => ({
    name,
    values,
    ratios: name === "node -e 0" ? {} : { "bare node": spread(values).median / bare },
  }));
  const beyond = (name) => spread(times[name]).median - bare;
  const notes = [
    `--help takes ${beyond("platform --help").toFixed(0)} ms more than bare node (goal 25)`,
    `call takes ${beyond("platform call").toFixed(0)} ms more than bare node (goal 60)`,
  ];
  return [
    {
      title: "Opening the fs store, 100,000 documents and as many index entries",
      unit: "ms",
      rows: [{ name: "open", values: opening }],
    },
    {
      title: "Memory the open store adds",
      unit: "MiB",
      rows: [{ name: "heap and buffers", values: memory }],
    },
    { title: "Start of a process", unit: "ms", rows: starts, notes },
    ...[
      ["CPU time until a server is ready", "cpu", "ms", "serve 600"],
      ["Time until a server is ready", "wall", "ms", "dev 1,500"],
      ["Resident memory of a server when it is ready", "ready", "MiB", "serve 90, dev 120"],
      ["Resident memory of a server three seconds later, with all engines loaded", "later", "MiB", "none"],
    ].map(([title, member, unit, goals]) => ({
      title,
      unit,
      rows: Object.entries(servers).map(([name, runs]) => ({ name, values: runs.map((run) => run[member]) })),
      notes: [`goal: ${goals}`],
    })),
  ];
}

/** What the process of a server itself reports when it prints that it is ready, in a new folder. */
async function startOnce(command) {
  const folder = mkdtempSync(`${tmpdir()}/platform-ready-`);
  writeFileSync(
    join(folder, "platform.config.json"),
    JSON.stringify({ storage: { driver: "fs", base: "./data" }, mail: { transport: "dev" } }),
  );
  const report = join(folder, "report.json");
  const probe = new URL("servers/probe.cjs", import.meta.url).pathname;
  const args = command === "serve" ? ["--base-url", "http://127.0.0.1:1"] : ["--no-watch"];
  // As `npm start` does.
  const flags = command === "dev" ? ["--max-semi-space-size=4"] : [];
  const child = spawn(
    process.execPath,
    [...flags, "--require", probe, cli, command, "--port", "0", ...args],
    {
      cwd: folder,
      stdio: "ignore",
      env: { PATH: process.env.PATH, HOME: folder, PROBE_FILE: report },
    },
  );
  await once(child, "exit");
  const result = JSON.parse(readFileSync(report, "utf8"));
  rmSync(folder, { recursive: true, force: true });
  return result;
}

/** A server that answers at once, so that only the client's own time is measured. */
const ANSWERER = `require("node:http").createServer((req, res) => res.setHeader("content-type", "application/json").end('{"data":[],"meta":{"request_id":"req_1"}}'))
  .listen(0, "127.0.0.1", function () { console.log(this.address().port); })`;

function timeOf(args, env = {}) {
  const started = process.hrtime.bigint();
  execFileSync(process.execPath, args, { stdio: "ignore", env: { ...process.env, ...env } });
  return Number(process.hrtime.bigint() - started) / 1e6;
}
