import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { loadConfig } from "../../server/config/load.ts";
import { startServer } from "../../server/serve.ts";
import type { RunningServer } from "../../server/serve.ts";
import { createSandbox } from "./run.ts";
import type { Sandbox } from "./run.ts";

export interface ServiceSandbox extends Sandbox {
  /** Serves the folder from this process; commands find it by its run file. */
  serve(port?: number): Promise<RunningServer>;
}

/** A folder with a configuration of its own: files as storage, any free port, a quiet log. */
export function createServiceSandbox(): ServiceSandbox {
  const sandbox = createSandbox();
  const config = {
    storage: { driver: "fs", base: "./data" },
    server: { port: 0 },
    log: { level: "silent" },
    mail: { transport: "dev" },
  };
  writeFileSync(join(sandbox.dir, "platform.config.json"), JSON.stringify(config));
  // Commands of a client create no store.
  let provisioned: ReturnType<Sandbox["run"]> | undefined;
  return {
    ...sandbox,
    async run(argv, options) {
      await (provisioned ??= sandbox.run(["storage", "provision"]));
      return sandbox.run(argv, options);
    },
    async serve(port = 0) {
      const env = { PLATFORM_PORT: String(port) };
      return startServer({ loaded: await loadConfig({ cwd: sandbox.dir, env, dev: true }), dev: true });
    },
  };
}

/** The same text with what differs from run to run replaced: ids, keys, instants, hashes, sizes, ports. */
export const normalise = (text: string): string =>
  text
    .replaceAll(/plat_[a-z]+_[0-9A-Za-z]{36}/g, "<key>")
    .replaceAll(/plat_[a-z]+_[0-9A-Za-z]{4}/g, "<prefix>")
    .replaceAll(/\b[a-z]{3,8}_[0-9A-HJKMNP-TV-Z]{26}\b/gi, "<id>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<instant>")
    // As mails write it: two runs can be in two minutes.
    .replaceAll(/\d{1,2} \w+ \d{4} at \d\d:\d\d/g, "<instant>")
    .replaceAll(/token=[\w-]+/g, "token=<token>")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "<hash>")
    .replaceAll(/("last4": "|last4\t|…)\w{4}/g, "$1<last4>")
    .replaceAll(/127\.0\.0\.1:\d+/g, "<host>")
    .replaceAll(/"reset": \d+/g, '"reset": <epoch>')
    // Jobs and usage counts of a server commit too.
    .replaceAll(/((?:version|documents)(?:": |\t))\d+/g, "$1<count>");
