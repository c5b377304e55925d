import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Starts a server process and waits for its ready line (JSON on stdout). */
export async function startServer(file, args = [], env = {}) {
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...process.env, NODE_ENV: "production", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    const told = JSON.parse(line);
    if (told.ready) return { ...told, pid: child.pid, stop: () => stop(child) };
  }
  throw new Error(`${file} ended before it was ready.`);
}

export function stop(child) {
  return new Promise((resolve) => {
    child.once("exit", resolve);
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), 5000).unref();
  });
}
