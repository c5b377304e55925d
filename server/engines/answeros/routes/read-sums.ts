import { z } from "zod";

import { invalidParameter } from "../../../lib/errors.ts";
import { splitList } from "../../../lib/split-list.ts";
import type { Tx } from "../../../core/tx.ts";
import { staleAggregates } from "../jobs/re-extract.ts";
import { aggregates, brandRevisions } from "../repository.ts";
import { addSums, noSums } from "../rules/tally.ts";
import { EngineName } from "../schema/tracking.ts";
import type { Aggregate, Sums } from "../schema/tracking.ts";

/** Aggregates read per request; a larger window is refused, so that no figure is incomplete. */
const READ_MAX = 4_000;
const PAGE = 500;

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
 * The sums of the requested days: read from the first day on, so that earlier history has no cost.
 * Throws 422 above the limit.
 */
export async function readAggregates(tx: Tx, query: AggregateFilter): Promise<Aggregate[]> {
  const { kind, topic, prompt_id: prompt, from, to } = query;
  const { only, isCounted } = enginesOf(query);
  const engine = only?.length === 1 ? only[0] : undefined;
  const right = kind === "topic" ? (topic === undefined ? undefined : `t-${topic}`) : prompt;
  const parts = [engine === undefined ? undefined : `e-${engine}`, right].filter(
    (part) => part !== undefined,
  );
  const value = parts.length === 0 ? "all" : parts.join(".");
  const kept: Aggregate[] = [];
  let cursor: string | undefined;
  do {
    const page = await tx.peekPage(aggregates, { index: kind, value, limit: PAGE, cursor, from });
    const within = page.items.map((stored) => stored.value).filter(({ day }) => day <= to);
    kept.push(...within.filter((one) => isCounted(one.engine)));
    cursor = within.length < page.items.length ? undefined : (page.next ?? undefined);
    if (kept.length > READ_MAX) {
      throw invalidParameter(
        "from",
        "The period contains too many observations. Request fewer days, or a single engine.",
      );
    }
  } while (cursor !== undefined);
  return kept;
}

/** The total without URLs; with domains if requested. */
export const sumUp = (list: readonly Aggregate[], parts: { readonly domains?: true } = {}): Sums =>
  list.reduce((all, { sums }) => {
    const names = { urls: {}, urls_left_out: 0, domains: parts.domains === true ? sums.domains : {} };
    return addSums(all, { ...sums, ...names });
  }, noSums());

/** The brand revision of the sums, and whether some are still to be recomputed. */
export async function extractionOf(tx: Tx): Promise<{ version: number; is_current: boolean }> {
  const version = (await tx.get(brandRevisions, "brands"))?.value.revision ?? 1;
  const stale = [...(await staleAggregates(tx, "topic", 1)), ...(await staleAggregates(tx, "prompt", 1))];
  return { version, is_current: stale.length === 0 };
}
