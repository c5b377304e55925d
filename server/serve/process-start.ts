import { readFileSync } from "node:fs";

/**
 * When a process began, as its kernel counts; null where there is none or the system does not report it. With its number it
 * identifies a process permanently: numbers are reused, and in every container the server is number 1.
 */
export function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the name in brackets, which may hold anything; what is meant is the 22nd.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
