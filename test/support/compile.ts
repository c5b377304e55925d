import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const ROOT = new URL("../..", import.meta.url).pathname;

/** A script as Node can run it, in a folder of its own where it finds the packages and the project's own files. */
export interface Compiled {
  readonly script: string;
  remove(): Promise<void>;
}

/** Compiles a script of the tests (`test/storage/child`) with what it needs of the sources: Node 20 reads no TypeScript. */
export async function compileScript(entry: string): Promise<Compiled> {
  const folder = await mkdtemp(join(ROOT, "node_modules", ".script-"));
  const out = join(folder, "out");
  await promisify(execFile)(process.execPath, [join(ROOT, "server", "bundle.mjs"), out, entry]);
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  return {
    script: join(out, `${entry}.js`),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
