#!/usr/bin/env node
import { enableCache } from "../cli/program/compile-cache.ts";

// First, so that the modules loaded after it are cached (Node 22.1 and later).
enableCache(process.env);
const { main } = await import("../cli/program/main.ts");

// A reader that closes the pipe (`platform … | head`) is not an error.
process.stdout.on("error", async (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  // On a full disk nothing that follows can be written either.
  const { report } = await import("../cli/terminal/report.ts");
  const json = process.argv.includes("--json");
  process.exit(report(error, process, { json, verbose: false, color: true }));
});

// Nor is one that reads no diagnostics: a server goes on without them.
process.stderr.on("error", () => undefined);

const interruption = new AbortController();
for (const [name, exitCode] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.on(name, () => {
    // The first signal shuts down gracefully, the second one exits immediately. A worker gets one of a terminal and one of its parent, which
    // ends those that take too long.
    if (interruption.signal.aborted && process.send === undefined) process.exit(exitCode);
    interruption.abort(exitCode);
  });
}

// Set the exit code instead of exiting, so that pipes are flushed.
process.exitCode = await main({
  argv: process.argv.slice(2),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  signal: interruption.signal,
});
