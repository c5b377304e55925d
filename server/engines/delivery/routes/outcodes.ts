import { z } from "zod";

import { conflict, conflictWhen, fail, invalidField } from "../../../lib/errors.ts";
import { empty, made, ok, values } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { routesOf } from "../../../core/resource.ts";
import { Id, listFields } from "../../../core/schema.ts";
import { inSlices, runInSlices } from "../../../lib/slices.ts";
import { loadPlan, zones } from "../repository.ts";
import { parsePattern } from "../rules/parse-pattern.ts";
import { DELIVERY_LIMITS } from "../schema/limits.ts";
import { MatchAnswer } from "../schema.ts";
import { Outcode, PatternText } from "../schema/zone.ts";
import type { Zone } from "../schema/zone.ts";
import { answerMatch } from "./answer-match.ts";
import { canonicalSteps } from "./check-zone.ts";
import { pageOfMany } from "../../../core/computed-page.ts";
import { saveZone } from "./zones.ts";
import { DEMO_IDS } from "../demo.ts";

const Side = z.boolean().meta({ description: "True for a pattern that excludes the place from the zone" });
const Flag = z.enum(["true", "false"]).transform((text) => text === "true");
const overlap = conflictWhen(
  "pattern_conflict",
  "A pattern of another active zone with the same priority overlaps",
);

const outcodeResource = routesOf({
  id: "delivery.outcodes",
  view: Outcode,
});

const listOutcodes = outcodeResource.list({
  summary: "List the outcodes and other patterns of all zones",
  description: "One row per pattern and zone, ordered by the pattern's text.",
  query: z.object({ ...listFields, zone_id: Id.optional() }),
  handle: async ({ query }, { tx }) => {
    const plan = await loadPlan(tx);
    const rows = plan.zones
      .filter(({ id }) => query.zone_id === undefined || id === query.zone_id)
      .flatMap(rowsOf);
    const keyOf = ({ pattern, zone, exclude }: Row): string => `${pattern} ${zone.id} ${exclude}`;
    const page = await pageOfMany(rows, keyOf, { part: tx.part, list: "outcodes" }, query);
    return values(page.items.map(toOutcode), page);
  },
});

const addOutcode = outcodeResource.create({
  summary: "Add an outcode or another pattern to a zone",
  body: z.strictObject({ pattern: PatternText, zone_id: Id, exclude: Side.default(false) }),
  errors: [overlap, conflictWhen("duplicate_pattern", "The zone already has the pattern")],
  example: { body: { pattern: "SE11", zone_id: DEMO_IDS.central } },
  handle: async ({ body }, ctx) => {
    const before = await ctx.tx.get(zones, body.zone_id);
    if (before === null) throw invalidField(["zone_id"], "No zone with this id.");
    const zone = before.value;
    const parsed = parsePattern(body.pattern, zone.country);
    if (!parsed.ok) throw invalidField(["pattern"], parsed.detail);
    const { text } = parsed.pattern;
    const side = body.exclude ? "excludes" : "patterns";
    if (zone[side].includes(text)) {
      throw conflict("duplicate_pattern", `Zone ${zone.id} already has the pattern ${text}.`);
    }
    await saveZone(ctx, before, { ...zone, [side]: [...zone[side], text] });
    const row = toOutcode({ pattern: text, zone, exclude: body.exclude });
    return made(row, `/outcodes/${encodeURIComponent(text)}`);
  },
});

const bulkOutcodes = defineRoute({
  id: "delivery.outcodes.bulk",
  method: "POST",
  path: "/outcodes/bulk",
  summary: "Add, remove or replace many patterns of a zone at once",
  description: "All or nothing: if one pattern is invalid, none is changed.",
  body: z.strictObject({
    zone_id: Id,
    patterns: z.array(PatternText).max(DELIVERY_LIMITS.patternsPerZone),
    exclude: Side.default(false),
    mode: z.enum(["add", "remove", "replace"]).default("add"),
  }),
  data: z.object({ zone_id: Id, added: z.int(), removed: z.int(), unchanged: z.int(), total: z.int() }),
  errors: [overlap],
  example: {
    body: { zone_id: DEMO_IDS.central, patterns: ["SE11", "SE17", "se5"] },
  },
  handle: async ({ body }, ctx) => {
    const before = await ctx.tx.get(zones, body.zone_id);
    if (before === null) throw invalidField(["zone_id"], "No zone with this id.");
    const side = body.exclude ? "excludes" : "patterns";
    const had = new Set(before.value[side]);
    const steps = canonicalSteps(body.patterns, before.value.country, "patterns");
    const texts = await runInSlices(steps, ctx.tx.part);
    const next = combine(had, texts, body.mode);
    await saveZone(ctx, before, { ...before.value, [side]: [...next] });
    const added = [...next].filter((text) => !had.has(text)).length;
    const unchanged = next.size - added;
    return ok({ zone_id: before.id, added, removed: had.size - unchanged, unchanged, total: next.size });
  },
});

const explainOutcode = defineRoute({
  id: "delivery.outcodes.get",
  method: "GET",
  path: "/outcodes/:pattern",
  summary: "Explain which zone an outcode falls into",
  description:
    "An outcode is matched only with patterns of its own level and coarser ones; estimate reports whether finer " +
    "patterns exist.",
  params: z.object({ pattern: PatternText }),
  data: MatchAnswer,
  example: {
    params: { pattern: "SW1A" },
  },
  handle: async ({ params }, { tx }) => {
    const plan = await loadPlan(tx);
    return ok(await answerMatch(tx.part, plan, { postcode: params.pattern, country: plan.settings.country }));
  },
});

const removeOutcode = defineRoute({
  id: "delivery.outcodes.remove",
  method: "DELETE",
  path: "/outcodes/:pattern",
  summary: "Remove a pattern from its zone",
  params: z.object({ pattern: PatternText }),
  query: z.object({ zone_id: Id.optional(), exclude: Flag.optional() }),
  data: z.null(),
  errors: [
    { type: "not_found", when: "No zone has this pattern" },
    conflictWhen("ambiguous_pattern", "Several zones have the pattern and zone_id is missing"),
    overlap,
    { type: "precondition_failed", when: "If-Match does not match the current version of the zone" },
  ],
  example: { params: { pattern: "SW1" }, query: { zone_id: DEMO_IDS.central } },
  handle: async ({ params, query }, ctx) => {
    const plan = await loadPlan(ctx.tx);
    const sides = query.exclude === undefined ? [false, true] : [query.exclude];
    const places = plan.zones
      .filter(({ id }) => query.zone_id === undefined || id === query.zone_id)
      .flatMap((zone) => sides.map((exclude) => ({ zone, exclude })));
    const rows: Row[] = [];
    for await (const place of inSlices(places, ctx.tx.part)) rows.push(...rowWith(params.pattern, place));
    const [row, ...others] = rows;
    if (row === undefined) throw fail("not_found", "No zone has this pattern.");
    if (others.length > 0) {
      const ids = [...new Set(rows.map(({ zone }) => zone.id))].join(", ");
      throw conflict(
        "ambiguous_pattern",
        `The pattern exists more than once (zones ${ids}). Specify zone_id and exclude.`,
      );
    }
    const before = await ctx.current(zones, row.zone.id);
    const side = row.exclude ? "excludes" : "patterns";
    const rest = before.value[side].filter((text) => text !== row.pattern);
    await saveZone(ctx, before, { ...before.value, [side]: rest });
    return empty();
  },
});

/** A pattern and its location. */
interface Row {
  readonly pattern: string;
  readonly zone: Zone;
  readonly exclude: boolean;
}

const rowsOf = (zone: Zone): Row[] => [
  ...zone.patterns.map((pattern) => ({ pattern, zone, exclude: false })),
  ...zone.excludes.map((pattern) => ({ pattern, zone, exclude: true })),
];

/** The row of a zone with this pattern, in the text that its country gives it. */
function rowWith(text: string, { zone, exclude }: Omit<Row, "pattern">): Row[] {
  const pattern = canonicalText(text, zone.country);
  return (exclude ? zone.excludes : zone.patterns).includes(pattern) ? [{ pattern, zone, exclude }] : [];
}

function toOutcode({ pattern, zone, exclude }: Row): Outcode {
  const parsed = parsePattern(pattern, zone.country);
  return { pattern, level: parsed.ok ? parsed.pattern.level : "unit", zone_id: zone.id, exclude };
}

function canonicalText(text: string, country: string): string {
  const parsed = parsePattern(text, country);
  return parsed.ok ? parsed.pattern.text : text;
}

function combine(
  had: ReadonlySet<string>,
  texts: readonly string[],
  mode: "add" | "remove" | "replace",
): Set<string> {
  if (mode === "replace") return new Set(texts);
  if (mode === "add") return new Set([...had, ...texts]);
  const gone = new Set(texts);
  return new Set([...had].filter((text) => !gone.has(text)));
}

export const outcodeRoutes = [listOutcodes, addOutcode, bulkOutcodes, explainOutcode, removeOutcode];
