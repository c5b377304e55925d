import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";

import { fill } from "./pages.mjs";
import { spread } from "./report.mjs";

const SIZE = 100_000;
const cli = new URL("../../dist/bin/platform.js", import.meta.url).pathname;

/** Time and memory to open a store of 100,000 documents, and what a CLI start costs beside bare node. */
export async function benchStart({ rounds }) {
  const { openFsDriver } = await import("../../dist/server/storage/fs.js");
  const clock = { now: () => Date.now() };
  const base = mkdtempSync(`${tmpdir()}/platform-start-`);
  const store = await openFsDriver({ base, clock });
  await fill(store, SIZE);
  await store.close();
  const opening = [];
  const memory = [];
  const times = { "node -e 0": [], "platform --version": [], "platform --help": [] };
  for (let round = 0; round < rounds; round += 1) {
    const child = new URL("servers/open.mjs", import.meta.url).pathname;
    const told = JSON.parse(
      execFileSync(process.execPath, ["--expose-gc", child, base], { encoding: "utf8" }),
    );
    opening.push(told.milliseconds);
    memory.push(told.megabytes);
    times["node -e 0"].push(timeOf(["-e", "0"]));
    times["platform --version"].push(timeOf([cli, "--version"]));
    times["platform --help"].push(timeOf([cli, "--help"]));
  }
  rmSync(base, { recursive: true, force: true });
  const bare = spread(times["node -e 0"]).median;
  const starts = Object.entries(times).map(([name, values]) => ({
    name,
    values,
    ratios: name === "node -e 0" ? {} : { "bare node": spread(values).median / bare },
  }));
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
    { title: "Start of a process", unit: "ms", rows: starts },
  ];
}

function timeOf(args) {
  const started = process.hrtime.bigint();
  execFileSync(process.execPath, args, { stdio: "ignore" });
  return Number(process.hrtime.bigint() - started) / 1e6;
}
