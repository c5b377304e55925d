import * as nodeModule from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Keeps compiled code between starts, where Node can. In the user's own cache folder: the default is a folder of the system's
 * temporary directory, where another user of the machine could put code in its place.
 */
export function enableCache(env: Readonly<Record<string, string | undefined>>): void {
  if (!("enableCompileCache" in nodeModule) || typeof nodeModule.enableCompileCache !== "function") return;
  if ((env.NODE_COMPILE_CACHE ?? "") !== "") return;
  const base = (env.XDG_CACHE_HOME ?? "") === "" ? join(homedir(), ".cache") : (env.XDG_CACHE_HOME ?? "");
  nodeModule.enableCompileCache(join(base, "platform", "compiled"));
}
