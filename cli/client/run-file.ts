import { readFileSync } from "node:fs";

import { startOf } from "../../server/serve/process-start.ts";
import { numberOf, textOf } from "../terminal/json.ts";
import { parseJson } from "../../server/lib/parse-json.ts";

/** File of a running server for commands on the same machine; readable only by its user. */
export interface RunFile {
  readonly pid: number;
  readonly url: string;
  /** Operator token of that process. */
  readonly token: string;
}

/** The running server of the run file; null if its process has ended or the process id was reused. */
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
    // A process of another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
