import * as nodeModule from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Caches compiled code between starts if Node supports it, in the cache folder of the user: the default is a folder of the
 * temporary directory of the system, where another user of the machine could replace the code.
 */
export function enableCache(env: Readonly<Record<string, string | undefined>>): void {
  if (!("enableCompileCache" in nodeModule) || typeof nodeModule.enableCompileCache !== "function") return;
  if ((env.NODE_COMPILE_CACHE ?? "") !== "") return;
  try {
    const base = (env.XDG_CACHE_HOME ?? "") === "" ? join(homedir(), ".cache") : (env.XDG_CACHE_HOME ?? "");
    nodeModule.enableCompileCache(join(base, "platform", "compiled"));
  } catch {
    // A user id without a folder, as in containers: nothing is cached.
  }
}
