import { z } from "zod";

const MetafieldNamespace = z.enum(["allergens", "dietary", "nutrition"]);
const MetafieldType = z.enum([
  "single_line_text_field",
  "multi_line_text_field",
  "list.single_line_text_field",
  "boolean",
  "number_integer",
  "number_decimal",
  "date",
  "date_time",
  "json",
]);
export const Metafield = z.strictObject({
  namespace: MetafieldNamespace,
  key: z.string().regex(/^[a-z0-9_-]{2,64}$/, "Expected 2 to 64 of a-z, 0-9, _ and -."),
  type: MetafieldType,
  value: z.string().max(5_000),
});
export type Metafield = z.output<typeof Metafield>;
