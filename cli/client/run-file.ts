import { readFileSync } from "node:fs";

import { startOf } from "../../server/serve/process-start.ts";
import { numberOf, parseJson, textOf } from "../terminal/json.ts";

/** What a running server leaves for the commands of its own machine; readable for its user alone. */
export interface RunFile {
  readonly pid: number;
  readonly url: string;
  /** Operator token of that very process. */
  readonly token: string;
}

/** The live server that the run file tells of. A file whose process is gone, or is another one by now, counts as none. */
export function findRunningServer(file: string): RunFile | null {
  let content: unknown;
  try {
    content = parseJson(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
  const pid = numberOf(content, "pid");
  const [url, token] = [textOf(content, "url"), textOf(content, "token")];
  if (pid === null || url === "" || token === "" || !isAlive(pid)) return null;
  const [then, now] = [textOf(content, "started"), startOf(pid)];
  if (then !== "" && now !== null && then !== now) return null;
  return { pid, url, token };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process is alive as well.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
