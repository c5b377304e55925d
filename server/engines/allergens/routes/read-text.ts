import { z } from "zod";

import { parsePackText } from "../rules/parse-pack-text.ts";
import { ALLERGEN_LIMITS } from "../schema/limits.ts";
import { DeclarationInput } from "../schema/declaration.ts";
import { LineInput } from "../schema/ingredient.ts";
import { refuse } from "./refuse.ts";

/** Ingredients of a request: as lines, or as the text of a pack. */
export const ingredientsFields = {
  ingredients: z.array(LineInput).max(ALLERGEN_LIMITS.ingredients).optional(),
  ingredients_text: z
    .string()
    .trim()
    .min(1)
    .max(20_000)
    .optional()
    .meta({
      description:
        "Instead of ingredients: the list as a pack has it, in English, French or German. Codes are read from the names, and " +
        "may contain and contains statements become declarations",
      examples: ["Wheat flour 52%, butter (milk), salt. May contain nuts."],
    }),
};

export const EITHER = {
  path: ["ingredients_text"],
  message: "Specify either ingredients or ingredients_text.",
};
interface Requested {
  readonly ingredients?: LineInput[] | undefined;
  readonly ingredients_text?: string | undefined;
}
export const isEither = ({ ingredients, ingredients_text: text }: Requested): boolean =>
  ingredients === undefined || text === undefined;

/** The ingredients of a request, undefined where it has none, and what its text declares. Throws 422. */
export function readIngredients({ ingredients, ingredients_text: text }: Requested): {
  readonly ingredients: LineInput[] | undefined;
  readonly declarations: z.output<typeof DeclarationInput>[];
} {
  if (text === undefined) return { ingredients, declarations: [] };
  const read = parsePackText(text);
  const [unread] = read.unread;
  if (unread !== undefined) {
    const detail = `No allergen is known in the statement "${unread}". Declare it by its code instead.`;
    refuse({
      type: "unprocessable_content",
      code: "ingredients_invalid",
      detail,
      path: ["ingredients_text"],
    });
  }
  return {
    ingredients: read.ingredients,
    declarations: read.declarations.map((each) => DeclarationInput.parse(each)),
  };
}
