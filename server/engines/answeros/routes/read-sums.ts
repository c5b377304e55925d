import { z } from "zod";

import { invalidParameter } from "../../../lib/errors.ts";
import { giveWay } from "../../../lib/slices.ts";
import { splitList } from "../../../lib/split-list.ts";
import type { Tx } from "../../../core/tx.ts";
import { staleAggregates } from "../jobs/re-extract.ts";
import { aggregates, brandRevisions } from "../repository.ts";
import { addSums, noSums } from "../rules/tally.ts";
import { EngineName } from "../schema/tracking.ts";
import type { Aggregate, Sums } from "../schema/tracking.ts";

/** Aggregates read per request; a larger window is refused, so that no figure is incomplete. */
const READ_MAX = 4_000;
/** Domains and URLs in them: each aggregate has up to 300 of each, and a million would take hundreds of megabytes. */
const NAMES_MAX = 250_000;
/** A document with all of its URLs has some hundred KB. */
const PAGE = 100;

/** Parts of the sums with as many entries as there are citations; left out where they are not needed. */
type NamedPart = "domains" | "urls";

const Names = z.string().min(1).max(300).optional();

/** Parameters of figures: whose answers are counted. */
export const EnginesQuery = {
  engine: Names.meta({
    description:
      "Engines whose answers are counted, separated by commas, or `all`. Default: all but builtin, which answers with " +
      "the store's own answers",
  }),
  exclude_engine: Names.meta({ description: "Engines whose answers are not counted, separated by commas" }),
};

/** Answers with the store's approved answers: counted as visibility it would measure the store by itself. */
const OWN_ENGINE = "builtin";

interface Engines {
  /** Undefined: every engine. */
  readonly only: readonly string[] | undefined;
  readonly isCounted: (engine: string) => boolean;
}

/** Throws 422 for what is not the name of an engine. */
function enginesOf(query: Pick<AggregateFilter, "engine" | "exclude_engine">): Engines {
  const named = namesOf("engine", query.engine);
  const only = named.length === 0 || named.includes("all") ? undefined : named;
  const excluded = new Set(namesOf("exclude_engine", query.exclude_engine));
  if (named.length === 0) excluded.add(OWN_ENGINE);
  return { only, isCounted: (engine) => !excluded.has(engine) && (only?.includes(engine) ?? true) };
}

function namesOf(parameter: string, text: string | undefined): string[] {
  const names = splitList(text);
  if (names.every((name) => EngineName.safeParse(name).success)) return names;
  throw invalidParameter(
    parameter,
    "Expected names of engines, separated by commas, such as chatgpt,perplexity.",
  );
}

export interface AggregateFilter {
  readonly kind: Aggregate["kind"];
  readonly engine?: string | undefined;
  readonly exclude_engine?: string | undefined;
  readonly topic?: string | undefined;
  readonly prompt_id?: string | undefined;
  readonly from: string;
  readonly to: string;
}

/**
 * The sums of the requested days, of domains and URLs only if requested: read from the first day on, so that earlier history has no cost.
 * Throws 422 above the limit.
 */
export async function readAggregates(
  tx: Tx,
  query: AggregateFilter,
  named: readonly NamedPart[] = [],
): Promise<Aggregate[]> {
  const { kind, topic, prompt_id: prompt, from, to } = query;
  const { only, isCounted } = enginesOf(query);
  const engine = only?.length === 1 ? only[0] : undefined;
  const right = kind === "topic" ? (topic === undefined ? undefined : `t-${topic}`) : prompt;
  const parts = [engine === undefined ? undefined : `e-${engine}`, right].filter(
    (part) => part !== undefined,
  );
  const value = parts.length === 0 ? "all" : parts.join(".");
  const kept: Aggregate[] = [];
  let names = 0;
  let cursor: string | undefined;
  do {
    const page = await tx.peekPage(aggregates, { index: kind, value, limit: PAGE, cursor, from });
    cursor = page.next ?? undefined;
    for (const stored of page.items) {
      await giveWay(tx.part);
      const one = stored.value;
      if (one.day > to) cursor = undefined;
      else if (isCounted(one.engine)) {
        kept.push({ ...one, sums: withNamed(one.sums, named) });
        for (const part of named) names += Object.keys(one.sums[part]).length;
      }
    }
    if (kept.length > READ_MAX || names > NAMES_MAX) {
      throw invalidParameter(
        "from",
        `The period contains too many ${names > NAMES_MAX ? "citations" : "observations"}. Request fewer days, or a single engine.`,
      );
    }
  } while (cursor !== undefined);
  return kept;
}

const withNamed = (sums: Sums, named: readonly NamedPart[]): Sums => ({
  ...sums,
  domains: named.includes("domains") ? sums.domains : {},
  urls: named.includes("urls") ? sums.urls : {},
});

/** The total without URLs, computed with pauses; `key`: for whom. */
export async function sumUp(list: readonly Aggregate[], key: string): Promise<Sums> {
  let all = noSums();
  for (const { sums } of list) {
    await giveWay(key);
    all = addSums(all, { ...sums, urls: {}, urls_left_out: 0 });
  }
  return all;
}

/** The brand revision of the sums, and whether some are still to be recomputed. */
export async function extractionOf(tx: Tx): Promise<{ version: number; is_current: boolean }> {
  const version = (await tx.get(brandRevisions, "brands"))?.value.revision ?? 1;
  const stale = [...(await staleAggregates(tx, "topic", 1)), ...(await staleAggregates(tx, "prompt", 1))];
  return { version, is_current: stale.length === 0 };
}
