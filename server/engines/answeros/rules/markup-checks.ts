import { FITTING_TYPES } from "../data/markup-rules.ts";
import { SCHEMA_TYPES } from "../data/schema-types.ts";
import type { Check } from "../schema.ts";
import { checkParity } from "./check-parity.ts";
import { checkOf } from "./checks.ts";
import type { ScoreInput } from "./checks.ts";
import { nodesOf } from "./json-ld.ts";
import { parseMarkup, validateMarkup } from "./validate-markup.ts";

const component = "structured_data";

/** E1–E3: JSON-LD that is valid, complete, and matches the page. */
export function markupChecks(input: Pick<ScoreInput, "facts" | "page_type">): Check[] {
  const { blocks, unreadable, missing, hidden } = readMarkup(input);
  const types = blocks.flatMap((block) => nodesOf(block)).flatMap((node) => node.types);
  const fitting = FITTING_TYPES[input.page_type] ?? [];
  const isFitting =
    fitting.length === 0
      ? types.some((type) => SCHEMA_TYPES.has(type))
      : types.some((type) => fitting.includes(type));
  const isThere = blocks.length > 0;
  const typeName = fitting[0] ?? "a type of schema.org";
  return [
    checkOf({
      id: "E1",
      component,
      title: "Markup has the right type",
      points: isThere && unreadable === 0 && isFitting ? 3 : 0,
      max: 3,
      evidence:
        unreadable > 0
          ? `${unreadable} JSON-LD blocks cannot be parsed.`
          : isThere
            ? `Types: ${[...new Set(types)].slice(0, 8).join(", ") || "none"}.`
            : "No JSON-LD.",
      fix: `Add valid JSON-LD of type ${typeName}; POST /v1/answeros/schemas/generate generates it.`,
    }),
    checkOf({
      id: "E2",
      component,
      title: "Markup has the required properties",
      points: isThere && missing.length === 0 ? 3 : 0,
      max: 3,
      evidence: isThere ? (missing[0] ?? "No required property is missing.") : "No JSON-LD.",
      fix: isThere ? `Add the missing properties: ${missing.slice(0, 3).join(" ")}` : "Add JSON-LD first.",
    }),
    checkOf({
      id: "E3",
      component,
      title: "Markup matches the page",
      points: isThere && hidden.length === 0 ? 4 : 0,
      max: 4,
      evidence: !isThere
        ? "No JSON-LD."
        : hidden.length === 0
          ? "Names, prices, ratings and answers of the markup are on the page."
          : `Not on the page: ${hidden
              .map(({ path }) => path)
              .slice(0, 3)
              .join(", ")}.`,
      fix: isThere
        ? "Show the values of the markup on the page, or remove them from the markup."
        : "Add JSON-LD that matches the page.",
    }),
  ];
}

/** The JSON-LD of a page: its parsed blocks and their errors. */
export function readMarkup({ facts }: Pick<ScoreInput, "facts">) {
  const parsed = facts.json_ld.map(parseMarkup);
  const blocks = parsed.filter((block) => block !== null);
  return {
    blocks,
    unreadable: parsed.length - blocks.length,
    missing: blocks
      .flatMap((block) => validateMarkup(block).errors)
      .filter(({ code }) => code === "missing_required")
      .map(({ message }) => message),
    hidden: blocks.flatMap((block) => checkParity(block, facts.text.text).missing),
  };
}
