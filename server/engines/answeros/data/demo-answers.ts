import { z } from "zod";

import prompts from "./demo-answers.json" with { type: "json" };

/** Answers of an answer engine per week of the demo, by prompt: the store is mentioned more often over the weeks. */
const DemoPrompt = z.strictObject({
  key: z.enum(["order", "office", "keep", "best"]),
  text: z.string(),
  topic: z.string(),
  engines: z.array(z.string()),
  /** Possible answers, those that mention the store last. */
  answers: z.array(
    z.strictObject({
      text: z.string(),
      cites: z.array(z.string()),
      sentiment: z.enum(["positive", "neutral", "negative"]),
    }),
  ),
});
export type DemoPrompt = z.output<typeof DemoPrompt>;

/** The prompts of `demo-answers.json`. */
export const DEMO_PROMPTS: readonly DemoPrompt[] = z.array(DemoPrompt).parse(prompts);
