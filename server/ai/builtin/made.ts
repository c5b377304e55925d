import type { AiInput, AiItem } from "../../core/ai.ts";
import { fail } from "../../lib/errors.ts";
import type { TextModel } from "../../lib/text/model.ts";

/** What an operation makes of a text. */
export interface Made {
  readonly text: string;
  readonly items?: readonly AiItem[];
}
export type Make = (input: AiInput, model: TextModel) => Made | Promise<Made>;

/** 422 `needs_model`: fixed rules write nothing rather than something that a shop would have to throw away. */
export const needsModel = (what: string) =>
  fail(
    "unprocessable_content",
    `The builtin provider cannot write ${what}. Use a model, or write it yourself.`,
    {
      code: "needs_model",
    },
  );
