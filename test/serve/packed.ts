import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, afterEach } from "vitest";

import { createCleanup, eventually, freePort } from "./outside.ts";

export const run = promisify(execFile);
export const ROOT = new URL("../..", import.meta.url).pathname;

export interface Packed {
  /** An empty folder with a package.json, in which nothing is installed yet. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** The package as npm packs it. */
  readonly tarball: string;
}

const cleanup = createCleanup();
afterAll(() => cleanup.run());
// A server of a test that failed must not keep the folder of the next one.
afterEach(() => stop());
let stop = async (): Promise<void> => undefined;

/** Ends the server that was started last. */
export const stopServer = (): Promise<void> => stop();

export async function pack(): Promise<Packed> {
  if (!existsSync(join(ROOT, "dist/test/testing.js"))) throw new Error("The build is missing: npm run build");
  const folder = await mkdtemp(join(tmpdir(), "platform-packed-"));
  cleanup.add(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const { NODE_OPTIONS: _, VITEST: __, FORCE_COLOR: ___, ...rest } = process.env;
  const env = {
    ...rest,
    HOME: process.env.HOME,
    XDG_CONFIG_HOME: join(folder, ".home"),
    npm_config_prefer_offline: "true",
    PLATFORM_PORT: "0",
    NO_COLOR: "1",
  };
  const to = join(folder, ".packed");
  await mkdir(to);
  await run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", to], { cwd: ROOT, env });
  const tarball = join(to, (await readdir(to))[0] ?? "");
  await writeFile(join(folder, "package.json"), '{ "name": "shop", "private": true, "type": "module" }\n');
  return { folder, env, tarball };
}

/** Starts a server of a guide, waits for what it prints when it is ready, and returns the match. */
export async function start(
  { env, folder }: Packed,
  [command = "", ...args]: readonly string[],
  ready: RegExp,
): Promise<RegExpExecArray> {
  const child = spawn(command, args, { cwd: folder, env: { ...env, PORT: String(await freePort()) } });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => (printed += text.toString()));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let hasExited = false;
  void exited.then(() => (hasExited = true));
  stop = async () => {
    child.kill("SIGTERM");
    await exited;
  };
  cleanup.add(() => stop());
  await eventually(() => hasExited || ready.test(printed));
  const match = ready.exec(printed);
  if (match === null) throw new Error(`${command} ${args.join(" ")} ended:\n${printed}`);
  return match;
}

/** `npx platform dev`; its address and a key of the demo store. */
export async function dev(packed: Packed): Promise<{ url: string; key: string }> {
  const bin = join(packed.folder, "node_modules", ".bin", "platform");
  const [, url = "", key = ""] = await start(
    packed,
    [bin, "dev"],
    /Docs +(http\S+)\/docs[\s\S]*Key +(plat_live_\w+)/,
  );
  return { url, key };
}

/** A response with JSON; the key may be empty. */
export async function post(url: string, key: string, body: unknown) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, json: JSON.parse(await response.text()) };
}
