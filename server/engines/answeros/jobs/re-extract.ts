import { giveWay, mapInSlices } from "../../../lib/slices.ts";
import { eachDue } from "../../../core/batches.ts";
import type { Job } from "../../../core/engine.ts";
import type { Tx } from "../../../core/tx.ts";
import { aggregates, brandRevisions, brands, observations } from "../repository.ts";
import { addSums, noSums, sumsOf } from "../rules/tally.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";
import type { Aggregate, Sums } from "../schema/tracking.ts";
import { readAnswers } from "../services/import-tasks.ts";

/** Sums of topics are computed from those of prompts. */
const KINDS = ["prompt", "topic"] as const;
/** Aggregates recomputed per run; the rest is left to the next run. */
const MADE_MAX = 500;

/** Recomputes the sums made with older brands, first those of prompts and then those of topics. */
export const reExtract: Job = {
  id: "answeros.re-extract",
  summary: "Recomputes stored answers after brands were changed",
  schedule: "*/15 * * * * *",
  watches: [
    {
      places: [brandRevisions.name, `ix.${aggregates.name}.version`],
      async next(tx) {
        for (const kind of KINDS) if ((await staleAggregates(tx, kind, 1)).length > 0) return 0;
        return null;
      },
    },
  ],
  async run(work) {
    const { runTx, part } = work;
    const revision = await runTx(part, readRevision);
    const isDue = ({ extraction_version: version }: Aggregate): boolean => version < revision;
    let made = 0;
    for (const kind of KINDS) {
      const stale = { collection: aggregates, index: "version", value: kind, isDue, max: MADE_MAX - made };
      made += (await eachDue(work, stale, (id) => runTx(part, (tx) => makeAgain(tx, id)))).done;
    }
    return { made };
  },
};

/** Ids of aggregates computed with older brands, oldest first. */
export async function staleAggregates(tx: Tx, kind: Aggregate["kind"], limit: number): Promise<string[]> {
  const revision = await readRevision(tx);
  const { items } = await tx.peekPage(aggregates, { index: "version", value: kind, limit });
  return items.filter(({ value }) => value.extraction_version < revision).map(({ id }) => id);
}

const readRevision = async (tx: Tx): Promise<number> =>
  (await tx.get(brandRevisions, "brands"))?.value.revision ?? 1;

async function makeAgain(tx: Tx, id: string): Promise<number> {
  // Read with `get`: a concurrent answer changes it, and the transaction is retried.
  const before = await tx.get(aggregates, id);
  if (before === null) return 0;
  const revision = await readRevision(tx);
  const sums = await (before.value.kind === "prompt" ? sumsOfPrompt(tx, id) : sumsOfTopic(tx, id, revision));
  if (sums === null) return 0;
  tx.put(aggregates, before, { ...before.value, sums, extraction_version: revision });
  return 1;
}

async function sumsOfPrompt(tx: Tx, id: string): Promise<Sums> {
  const tracked = (await tx.peekAll(brands)).map(({ value }) => value);
  const { items } = await tx.peekPage(observations, {
    index: "cell",
    value: id,
    limit: ANSWEROS_LIMITS.observationsPerDay,
  });
  const answers = await mapInSlices(items, tx.part, ({ value }) => value);
  const extractions = await readAnswers(tx, { answers, brands: tracked });
  let sums = noSums();
  for (const [index, extraction] of extractions.entries()) {
    await giveWay(tx.part);
    const answer = answers[index];
    if (answer !== undefined) sums = addSums(sums, sumsOf(answer, extraction, tracked));
  }
  return sums;
}

/** Null while one of its prompts has sums made with older brands. */
async function sumsOfTopic(tx: Tx, id: string, revision: number): Promise<Sums | null> {
  let sums = noSums();
  let cursor: string | undefined;
  do {
    const page = await tx.peekPage(aggregates, { index: "part", value: id, limit: 100, cursor });
    for (const item of page.items) {
      await giveWay(tx.part);
      if (item.value.extraction_version < revision) return null;
      sums = addSums(sums, item.value.sums);
    }
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return sums;
}
