import { setTimeout as sleep } from "node:timers/promises";

import type { Log } from "../core/log.ts";
import type { Jobs } from "./runner.ts";

const RETRY_MS = 10_000;

/**
 * A runner that is created when it is first used, because its jobs are those of every engine. `prepare` is called before its schedule
 * begins and loads what `create` needs while nothing else is to be done; where that fails, it is tried again.
 */
export function createLateJobs(
  create: () => Promise<Jobs>,
  { prepare, log }: { readonly prepare: (signal: AbortSignal) => Promise<void>; readonly log: Log },
): Jobs {
  const stopping = new AbortController();
  const { signal } = stopping;
  let created: Promise<Jobs> | undefined;
  let isStarted = false;

  async function open(): Promise<Jobs> {
    created ??= create();
    try {
      const jobs = await created;
      if (signal.aborted) await jobs.stop();
      return jobs;
    } catch (error) {
      created = undefined;
      throw error;
    }
  }

  async function begin(): Promise<void> {
    while (!signal.aborted) {
      try {
        await prepare(signal);
        if (!signal.aborted) (await open()).start();
        return;
      } catch (err) {
        log.error({ err }, "failed to load the jobs");
        await sleep(RETRY_MS, undefined, { ref: false, signal }).catch(() => undefined);
      }
    }
  }

  return {
    list: async () => (await open()).list(),
    run: async (...args) => (await open()).run(...args),
    advance: async (span) => (await open()).advance(span),
    start() {
      if (isStarted) return;
      isStarted = true;
      void begin();
    },
    async stop(options) {
      stopping.abort();
      await (await created?.catch(() => undefined))?.stop(options);
    },
    runDue: async () => (await open()).runDue(),
  };
}
