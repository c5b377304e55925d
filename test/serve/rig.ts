import { loadConfig } from "../../server/config/load.ts";
import type { LoadedConfig } from "../../server/config/load.ts";
import type { Flag } from "../../server/config/sources.ts";
import { createLog } from "../../server/observability/log.ts";
import type { ServerLog } from "../../server/observability/log.ts";
import { startServer } from "../../server/serve.ts";
import type { RunningServer, ServeOptions } from "../../server/serve.ts";
import { makeFolder } from "./outside.ts";
import type { Cleanup } from "./outside.ts";

export { createCleanup, eventually, freePort, makeFolder, openWire, parseAnswer } from "./outside.ts";
export type { Cleanup, Wire } from "./outside.ts";

export type Settings = Readonly<Record<string, string | number | boolean>>;

/** A configuration of its own folder: port 0 and storage in memory unless told. */
export function load(dir: string, settings: Settings = {}, dev = true): Promise<LoadedConfig> {
  const all = { "server.port": 0, "storage.driver": "memory", ...settings };
  const flags = Object.entries(all).map(([path, value]): Flag => ({ name: `--${path}`, path, value }));
  return loadConfig({ cwd: dir, env: {}, flags, dev });
}

export interface LineLog extends ServerLog {
  readonly lines: string[];
}

export function captureLog(format: "json" | "pretty" = "json"): LineLog {
  const lines: string[] = [];
  const sink = { write: (line: string) => void lines.push(line), flush: () => undefined };
  return { ...createLog({ level: "debug", format }, sink), lines };
}

/** A server of this process, stopped after the test. */
export async function serve(
  cleanup: Cleanup,
  settings: Settings = {},
  options: Partial<ServeOptions> = {},
): Promise<RunningServer & { readonly log: LineLog; readonly dir: string }> {
  const dir = await makeFolder(cleanup);
  const log = captureLog();
  const server = await startServer({ loaded: await load(dir, settings), dev: true, log, ...options });
  cleanup.add(() => server.stop("test"));
  return { ...server, log, dir };
}
