import { z } from "zod";

import { pageOf } from "../../../core/computed-page.ts";
import { ok, values } from "../../../core/reply.ts";
import { defineRoute } from "../../../core/route.ts";
import { routesOf } from "../../../core/resource.ts";
import { ListQuery } from "../../../core/schema.ts";
import { CODES } from "../data/codes.ts";
import type { AllergenCode } from "../data/codes.ts";
import { EXEMPTIONS } from "../data/exemptions.ts";
import { MODE_IDS, MODES } from "../data/modes.ts";
import type { ModeId as Mode } from "../data/modes.ts";
import { codesOfMode, isUnspecific, widerOf } from "../rules/taxonomy.ts";
import { ExemptionCode, Locale, ModeId } from "../schema/ingredient.ts";

const ByMode = z.object({
  uk: z.string().nullable(),
  eu: z.string().nullable(),
  us: z.string().nullable(),
  ca: z.string().nullable(),
  au_nz: z.string().nullable(),
});
const CodeView = z.object({
  code: z.string(),
  name: z.string(),
  kind: z
    .enum(["specific", "group"])
    .meta({ description: "group: a wider word, refused in verified products" }),
  wider: z.array(z.string()).meta({ description: "Codes that cover it" }),
  declared_as: ByMode.meta({
    description: "The code under which each mode has it declared; null: not regulated",
  }),
  unspecific_in: z.array(ModeId).meta({ description: "Modes whose labels need a narrower word" }),
});
const toCode = ({ code, kind, names, declared_as }: AllergenCode): z.input<typeof CodeView> => ({
  code,
  name: names.en.label,
  kind,
  wider: [...widerOf(code)].filter((wider) => wider !== code),
  declared_as: { ...declared_as },
  unspecific_in: MODE_IDS.filter((mode) => isUnspecific(code, mode)),
});

const Gluten = z.object({
  comparison: z.enum(["at_most", "below"]),
  mg_per_kg: z.number(),
  oats: z.enum(["at_most_limit", "forbidden"]),
  unprocessed_grains: z.enum(["at_most_limit", "forbidden"]).meta({
    description: "Wheat, rye and barley that were not processed to remove gluten",
  }),
  source: z.string(),
});
const ModeView = z.object({
  id: ModeId,
  title: z.string(),
  codes: z.array(z.string()).meta({ description: "Codes that must be declared" }),
  sulphite_rule: z
    .object({ comparison: z.enum(["above", "at_least"]), mg_per_kg: z.number(), measured_as: z.string() })
    .nullable(),
  contains_statement: z.enum(["forbidden", "optional", "required"]),
  emphasis: z.enum(["typeset", "bold", "none"]),
  species_named: z.array(z.string()),
  summary_names_gluten: z.boolean(),
  gluten_free: Gluten,
  very_low_gluten: Gluten.nullable(),
  exemptions: z.array(
    z.object({ code: ExemptionCode, title: z.string(), codes: z.array(z.string()), source: z.string() }),
  ),
  languages: z.array(Locale),
  required_languages: z.array(Locale).meta({ description: "Languages that every label has" }),
  sources: z.array(z.string()),
});

function toMode(id: Mode): z.input<typeof ModeView> {
  const mode = MODES[id];
  return {
    id,
    title: mode.title,
    codes: codesOfMode(id),
    sulphite_rule: mode.sulphite_rule === null ? null : { ...mode.sulphite_rule },
    contains_statement: mode.contains_statement,
    emphasis: mode.emphasis,
    species_named: [...mode.species_named],
    summary_names_gluten: mode.summary_names_gluten,
    gluten_free: { ...mode.gluten_free },
    very_low_gluten: mode.very_low_gluten === null ? null : { ...mode.very_low_gluten },
    exemptions: EXEMPTIONS.flatMap(({ code, title, codes, source }) =>
      codes[id] === undefined ? [] : [{ code, title, codes: [...codes[id]], source }],
    ),
    languages: [...mode.languages],
    required_languages: [...mode.required_languages],
    sources: [...mode.sources],
  };
}

const listCodes = routesOf({ id: "allergens.codes", view: CodeView }).list({
  open: "public",
  summary: "List the allergen codes",
  query: ListQuery,
  async handle({ query }, { tx }) {
    const page = pageOf(CODES, ({ code }) => code, { part: tx.part, list: "allergen-codes" }, query);
    return values(page.items.map(toCode), page);
  },
});

const listModes = routesOf({ id: "allergens.modes", view: ModeView }).list({
  open: "public",
  summary: "List the regulatory modes",
  handle: async () => values(MODE_IDS.map(toMode)),
});

const getMode = defineRoute({
  id: "allergens.modes.get",
  method: "GET",
  path: "/modes/:id",
  open: "public",
  summary: "Show a regulatory mode",
  params: z.object({ id: ModeId }),
  data: ModeView,
  example: { params: { id: "ca" } },
  handle: async ({ params }) => ok(toMode(params.id)),
});

export const taxonomyRoutes = [listCodes, listModes, getMode];
