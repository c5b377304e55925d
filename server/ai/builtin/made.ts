import type { AiInput, AiItem } from "../../core/ai.ts";
import type { TextModel } from "../../lib/text/model.ts";

/** What an operation makes of a text. */
export interface Made {
  readonly text: string;
  readonly items?: readonly AiItem[];
}
export type Make = (input: AiInput, model: TextModel) => Made | Promise<Made>;
