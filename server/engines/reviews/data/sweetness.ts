import type { AttributeDefinition } from "../schema/settings.ts";

/** The custom attribute of the demo shop and of the examples. */
export const SWEETNESS = {
  key: "sweetness",
  label: "Sweetness",
  type: "scale",
  min_label: "Not sweet",
  max_label: "Very sweet",
  options: [],
  applies_to: ["product"],
  archived: false,
} satisfies Partial<AttributeDefinition>;
