import { giveWay, mapInSlices } from "../../../lib/slices.ts";
import type { Job } from "../../../core/engine.ts";
import type { Tx } from "../../../core/tx.ts";
import { aggregates, brandRevisions, brands, observations } from "../repository.ts";
import { addSums, noSums, sumsOf } from "../rules/tally.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";
import type { Aggregate, Sums } from "../schema/tracking.ts";
import { readAnswers } from "../services/import-tasks.ts";

/** Sums of topics are computed from those of prompts. */
const KINDS = ["prompt", "topic"] as const;
const PER_LOOK = 25;
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
  async run({ runTx, part, signal }) {
    let made = 0;
    for (const kind of KINDS) {
      while (!signal.aborted && made < MADE_MAX) {
        const stale = await runTx(part, (tx) => staleAggregates(tx, kind, PER_LOOK));
        for (const id of stale) {
          await runTx(part, (tx) => makeAgain(tx, id));
          made += 1;
        }
        if (stale.length < PER_LOOK) break;
      }
    }
    return { made };
  },
};

/** Ids of aggregates computed with older brands, oldest first. */
export async function staleAggregates(tx: Tx, kind: Aggregate["kind"], limit: number): Promise<string[]> {
  const revision = (await tx.get(brandRevisions, "brands"))?.value.revision ?? 1;
  const { items } = await tx.peekPage(aggregates, { index: "version", value: kind, limit });
  return items.filter(({ value }) => value.extraction_version < revision).map(({ id }) => id);
}

async function makeAgain(tx: Tx, id: string): Promise<void> {
  // Read with `get`: a concurrent answer changes it, and the transaction is retried.
  const before = await tx.get(aggregates, id);
  if (before === null) return;
  const revision = (await tx.get(brandRevisions, "brands"))?.value.revision ?? 1;
  const sums = await (before.value.kind === "prompt" ? sumsOfPrompt(tx, id) : sumsOfTopic(tx, id));
  tx.put(aggregates, before, { ...before.value, sums, extraction_version: revision });
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

async function sumsOfTopic(tx: Tx, id: string): Promise<Sums> {
  let sums = noSums();
  let cursor: string | undefined;
  do {
    const page = await tx.peekPage(aggregates, { index: "part", value: id, limit: 100, cursor });
    for (const item of page.items) {
      await giveWay(tx.part);
      sums = addSums(sums, item.value.sums);
    }
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return sums;
}
