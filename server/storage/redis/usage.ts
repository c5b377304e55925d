import { StoreError } from "../contract.ts";
import type { Usage } from "../contract.ts";
import { countedAs } from "../usage.ts";
import type { Client } from "./client.ts";
import { corrupt, toArray } from "./errors.ts";
import type { Names } from "./names.ts";
import { recountUsageScript } from "./scripts/usage.ts";

const TRIES = 3;

/** Collections as scripts take them: each with how it counts. */
export const counted = (colls: Iterable<string>): string[] =>
  [...colls].flatMap((coll) => [coll, countedAs(coll)]);

/** Counts what a partition holds in one step; `agrees` says whether that is what was stored. */
export async function recount(
  client: Client,
  names: Names,
  part: string,
  fix: boolean,
): Promise<{ readonly agrees: boolean; readonly usage: Usage }> {
  const { sequence, counts, usage, docs } = names.part(part);
  for (let tries = 0; tries < TRIES; tries++) {
    const colls = await client.ask((redis) => redis.hkeys(counts));
    const keys = [sequence, counts, usage, ...colls.map(docs)];
    const reply = await client.run(recountUsageScript, keys, [
      fix ? "1" : "0",
      part.length,
      ...counted(colls),
    ]);
    if (reply === null) continue;
    const [same, ...numbers] = toArray(reply);
    return { agrees: same === "1", usage: toUsage(part, numbers) };
  }
  throw busy(part);
}

export const busy = (part: string): StoreError =>
  new StoreError("UNAVAILABLE", `too many concurrent writes to partition ${part} to count what it holds`);

export function toUsage(part: string, reply: unknown): Usage {
  const [documents, bytes, systemBytes] = toArray(reply).map(Number);
  if (documents === undefined || bytes === undefined || systemBytes === undefined)
    throw corrupt(`the usage of ${part}`);
  return { documents, bytes, systemBytes };
}
