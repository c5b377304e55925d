import type { NewId } from "../../../core/ids.ts";
import type { Tx } from "../../../core/tx.ts";
import {
  aggregates,
  brandRevisions,
  brands,
  observations,
  promptCellId,
  standingId,
  standings,
  topicCellId,
} from "../repository.ts";
import { ownsDomain } from "../rules/read-answer.ts";
import { addSums, noSums, sumsOf } from "../rules/tally.ts";
import { nextStanding } from "../rules/next-standing.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";
import type { Aggregate, Brand, Observation, Sums } from "../schema/tracking.ts";
import { readAnswers } from "./import-tasks.ts";

/** Observations per commit: each may change nineteen documents and index entries. */
export const OBSERVATIONS_PER_COMMIT = 10;

export type Outcome = "created" | "duplicate" | "day_full";
export const DAY_FULL = `The limit of ${ANSWEROS_LIMITS.observationsPerDay} answers per prompt, engine and day is reached.`;

/** Input of a transaction in addition to the transaction. */
export interface Moment {
  readonly nowAt: string;
  readonly newId: NewId;
}

/**
 * Stores observations and adds them to the sums of their day, in one commit. An existing one changes nothing,
 * so that the same answer uploaded twice counts once. At most `OBSERVATIONS_PER_COMMIT`.
 */
export async function storeObservations(
  tx: Tx,
  list: readonly Observation[],
  moment: Moment,
): Promise<Outcome[]> {
  // First, so that the commit notices a brand that changes after the brands are read.
  const revision = (await tx.get(brandRevisions, "brands"))?.value.revision ?? 1;
  const tracked = (await tx.peekAll(brands)).map(({ value }) => value);
  const extractions = await readAnswers(tx, { answers: list, brands: tracked });
  const outcomes: Outcome[] = [];
  for (const [index, observation] of list.entries()) {
    if ((await tx.get(observations, observation.id)) !== null) {
      outcomes.push("duplicate");
      continue;
    }
    const cell = await tx.get(aggregates, promptCellId(observation));
    if ((cell?.value.sums.answers ?? 0) >= ANSWEROS_LIMITS.observationsPerDay) {
      outcomes.push("day_full");
      continue;
    }
    tx.create(observations, observation);
    const extraction = extractions[index];
    const sums = extraction === undefined ? noSums() : sumsOf(observation, extraction, tracked);
    await addToAggregates(tx, observation, sums, revision);
    await stand(tx, observation, tracked, moment);
    outcomes.push("created");
  }
  return outcomes;
}

async function addToAggregates(
  tx: Tx,
  observation: Observation,
  sums: Sums,
  revision: number,
): Promise<void> {
  const { prompt_id, prompt_version, engine, topic } = observation;
  const base = { day: observation.at.slice(0, 10), engine, topic, extraction_version: revision };
  const mine: Omit<Aggregate, "sums">[] = [
    { ...base, id: promptCellId(observation), kind: "prompt", prompt_id, prompt_version },
    { ...base, id: topicCellId(base), kind: "topic", prompt_id: null, prompt_version: null },
  ];
  for (const empty of mine) {
    const before = await tx.get(aggregates, empty.id);
    // Sums of older brands keep their version, so that they are recomputed.
    const next = { ...empty, ...before?.value, sums: addSums(before?.value.sums ?? noSums(), sums) };
    tx.save(aggregates, before, next);
  }
}

/** Emits an event when a prompt's answers start to cite the store, and when they stop. */
async function stand(
  tx: Tx,
  observation: Observation,
  tracked: readonly Brand[],
  { nowAt, newId }: Moment,
): Promise<void> {
  const { prompt_id, prompt_version, engine, at, citations } = observation;
  const own = tracked.filter((brand) => brand.own);
  const isCited = citations.some(({ domain }) => own.some((brand) => ownsDomain(brand, domain)));
  const id = standingId(observation);
  const before = await tx.get(standings, id);
  const { next, change } = nextStanding(before?.value ?? null, { at, isCited });
  if (next === null) return;
  tx.save(standings, before, { id, ...next });
  if (change === null) return;
  tx.emit({
    id: newId("evt"),
    type: `answeros.citation.${change}`,
    at: nowAt,
    data: { prompt_id, prompt_version, engine, observation_id: observation.id },
  });
}
