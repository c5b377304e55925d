import { z } from "zod";

import { pageOf } from "../../../core/computed-page.ts";
import { values } from "../../../core/reply.ts";
import { routesOf } from "../../../core/resource.ts";
import { Id, listFields } from "../../../core/schema.ts";
import { brands, prompts } from "../repository.ts";
import { gapOf } from "../rules/rank-gaps.ts";
import { WindowQuery } from "../schema.ts";
import type { Aggregate, Sums } from "../schema/tracking.ts";
import { windowOf } from "./parts.ts";
import { EnginesQuery, readAggregates, sumUp } from "./read-sums.ts";

const Gap = z.strictObject({
  prompt_id: Id,
  prompt_version: z.int(),
  text: z.string().nullable().meta({ description: "Null if the prompt was deleted or its text has changed" }),
  topic: z.string(),
  answers: z.int(),
  own_mentions: z.int().meta({ description: "Answers that mention the store without citing it" }),
  own_citations: z.int(),
  competitors: z.array(
    z.strictObject({
      brand_id: Id,
      name: z.string(),
      cited_answers: z.int(),
      answers: z.int().meta({ description: "Answers that mention the competitor" }),
    }),
  ),
  domains: z.array(z.strictObject({ domain: z.string(), answers: z.int() })).meta({
    description: "Domains cited there, most cited first",
  }),
  opportunity: z.number().meta({ description: "Answers citing the strongest competitor / all answers" }),
});

const listGaps = routesOf({ id: "answeros.gaps", view: Gap }).list({
  summary: "List prompts where competitors are cited and the store is not, largest opportunity first",
  description: "At most 92 days. Each version of a prompt is listed separately.",
  query: z.object({ ...listFields, ...WindowQuery, ...EnginesQuery }),
  example: {
    query: { from: "2026-05-25", to: "2026-06-01" },
  },
  handle: async ({ query }, { tx, now }) => {
    const { from, to } = windowOf(query, now);
    const { engine, exclude_engine, limit, cursor } = query;
    const tracked = (await tx.peekAll(brands)).map(({ value }) => value);
    const own = new Set(tracked.filter((brand) => brand.own).map(({ id }) => id));
    const nameOf = new Map(tracked.map(({ id, name }) => [id, name]));
    const filter = { kind: "prompt", engine, exclude_engine, from, to } as const;
    const gaps: Row[] = [];
    for (const list of byVersion(await readAggregates(tx, filter, ["domains"])).values()) {
      const row = gapRow(list, await sumUp(list, tx.part), own);
      if (row !== null) gaps.push(row);
    }
    const place = { part: tx.part, list: `gaps.${from}.${to}.${engine}.${exclude_engine}` };
    const page = pageOf(gaps, keyOf, place, { limit, cursor });
    const rows = await Promise.all(
      page.items.map(async (row) => {
        const prompt = (await tx.get(prompts, row.prompt_id))?.value;
        return {
          ...row,
          text: prompt?.prompt_version === row.prompt_version ? prompt.text : null,
          competitors: row.competitors.map((brand) => ({ ...brand, name: nameOf.get(brand.brand_id) ?? "" })),
        };
      }),
    );
    return values(rows, page);
  },
});

function byVersion(list: readonly Aggregate[]): ReadonlyMap<string, Aggregate[]> {
  const groups = new Map<string, Aggregate[]>();
  for (const aggregate of list) {
    const key = `${aggregate.prompt_id}.${aggregate.prompt_version}`;
    const group = groups.get(key) ?? [];
    group.push(aggregate);
    groups.set(key, group);
  }
  return groups;
}

type Row = NonNullable<ReturnType<typeof gapRow>>;

function gapRow(list: readonly Aggregate[], sums: Sums, own: ReadonlySet<string>) {
  const [first] = list;
  const gap = gapOf(sums, own);
  if (first === undefined || gap === null) return null;
  return {
    prompt_id: first.prompt_id ?? "",
    prompt_version: first.prompt_version ?? 1,
    topic: first.topic,
    ...gap,
  };
}

const keyOf = ({ opportunity, answers, prompt_id: id, prompt_version: version }: Row): string =>
  `${String(1_000_000 - Math.round(opportunity * 1e6)).padStart(7, "0")}.${String(9_999_999 - answers)}.${id}.${version}`;

export const gapRoutes = [listGaps];
