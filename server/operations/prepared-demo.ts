import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { seedSet } from "../core/engine.ts";
import { findBuilt } from "../core/package-root.ts";
import { storePartition } from "../core/partitions.ts";
import { planTx } from "../core/plan-tx.ts";
import { DEMO_SHOP, shops } from "../core/shop.ts";
import { fromInstant, toInstant } from "../lib/instant.ts";
import { localDateAt } from "../lib/local-time.ts";
import { toCommits, writeBatches } from "./seed-commits.ts";
import type { Seeder } from "./seed-commits.ts";

/** The profile of the demo shop, whose name, zone and currency the engines' demo settings leave out. */
export const PROFILE: Seeder = {
  name: "account",
  seed: (now) => [seedSet(shops, [{ ...DEMO_SHOP, updated_at: toInstant(now) }])],
};

/** The demo documents of all engines as the build stored them: to write them, no engine is loaded. */
export interface PreparedDemo {
  /** The time that they were made from, which names the build as well. */
  readonly made_from: string;
  readonly engines: Readonly<Record<string, readonly PreparedCommit[]>>;
}

export interface PreparedCommit {
  /** Number of demo documents. */
  readonly documents: number;
  /** Texts by `collection:id`, with index entries and manifests. */
  readonly puts: Readonly<Record<string, string>>;
  /** `collection:id` of what must not be there. */
  readonly absent: readonly string[];
}

/** File of the prepared demo, in the folder of the build. */
export const DEMO_FILE = "demo.json.gz";

/** Any store: keys are stored without it. */
const PART = storePartition("sto_any", "live");

/** Makes the demo documents of these engines at a time (epoch milliseconds). */
export async function prepareDemo(engines: readonly Seeder[], now: number): Promise<PreparedDemo> {
  const made_from = toInstant(now);
  const prepared: Record<string, PreparedCommit[]> = {};
  for (const engine of [PROFILE, ...engines]) {
    const commits = [...toCommits(engine.seed(now))];
    prepared[engine.name] = await Promise.all(
      commits.map(async (batches, index) => {
        // With the last of them nothing is missing.
        const complete = index === commits.length - 1 ? { build: made_from } : {};
        const origin = { engine: engine.name, made_from, ...complete };
        const plan = await planTx(PART, (tx) => writeBatches(tx, batches, origin));
        const puts = plan.ops.flatMap((op) => ("put" in op ? [[bare(op.put), op.value] as const] : []));
        const absent = plan.checks.map(({ key }) => bare(key));
        return { documents: plan.result, puts: Object.fromEntries(puts), absent };
      }),
    );
  }
  return { made_from, engines: prepared };
}

const bare = (key: string): string => key.slice(PART.length + 1);

/** What the build prepared; null where the source runs. */
export async function readPreparedDemo(): Promise<PreparedDemo | null> {
  const built = findBuilt();
  if (built === null) return null;
  // The build writes what `prepareDemo` returns.
  return JSON.parse(gunzipSync(await readFile(join(built, DEMO_FILE))).toString()) as PreparedDemo;
}

/** Whether documents that are made now would have the same dates. */
export function isOfToday({ made_from }: PreparedDemo, now: number): boolean {
  const zone = DEMO_SHOP.time_zone ?? "UTC";
  return localDateAt(fromInstant(made_from), zone) === localDateAt(now, zone);
}
