#!/usr/bin/env node
import { enableCache } from "../cli/program/compile-cache.ts";

// First of all: what is loaded after it is compiled once and kept (Node 22.1 and later).
enableCache(process.env);
const { main } = await import("../cli/program/main.ts");

// A reader that has seen enough (`platform … | head`) closes the pipe: that is success, not a crash.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

const interruption = new AbortController();
for (const [name, exitCode] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.on(name, () => {
    // The first signal asks for an orderly end; who sends a second one does not want to wait.
    if (interruption.signal.aborted) process.exit(exitCode);
    interruption.abort(exitCode);
  });
}

// The exit code is set and not forced, so that everything written to a pipe still arrives.
process.exitCode = await main({
  argv: process.argv.slice(2),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  signal: interruption.signal,
});
