import type { Redis } from "ioredis";

/**
 * Asks a server that was restarted to rewrite its append-only file. Where the file ended in the middle of a commit, Redis cuts the
 * unfinished command off, but leaves those before it: it takes them for a part of the next commit when it is restarted again, and
 * half a commit that was never acknowledged appears (Valkey's pull request 4342; Redis 7.0 and 7.2 do it too). A rewritten file has
 * only what is in memory. The file is left alone where nothing was appended to it, or where the user may not ask for that.
 */
export async function rewriteLog(redis: Redis): Promise<void> {
  try {
    const info = await redis.info("persistence");
    const found = (name: string) => new RegExp(`^${name}:(-?\\d+)\\r?$`, "m").exec(info)?.[1];
    const wasRewritten = found("aof_last_rewrite_time_sec") !== "-1";
    if (found("aof_enabled") !== "1" || wasRewritten || found("aof_rewrite_in_progress") === "1") return;
    if (found("aof_current_size") !== found("aof_base_size")) await redis.bgrewriteaof();
  } catch {
    // Another client has asked meanwhile, the connection is gone, or the user has no right: each call reports its own reason.
  }
}
