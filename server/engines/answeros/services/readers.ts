import { loadLanguage } from "../../../lib/text/language.ts";
import type { AnswerTools } from "../rules/read-answer.ts";
import type { ReadRobots } from "../rules/robots-access.ts";

// Readers that load slow dependencies, on first use.

/** Splits sentences in a language, and computes sentiment by AFINN, which supports English only. */
export async function answerTools(locale: string): Promise<AnswerTools> {
  const [{ default: Sentiment }, language] = await Promise.all([import("sentiment"), loadLanguage(locale)]);
  const sentiment = new Sentiment();
  return {
    sentences: (text) => language.sentences(text),
    sentiment: (text) => (language.code === "en" ? sentiment.analyze(text).score : 0),
  };
}

/** The parser of robots.txt. */
export async function robotsReader(): Promise<ReadRobots> {
  const { default: read } = await import("robots-parser");
  // The package is CommonJS but its types declare an ES module: the import is the function itself.
  return read as unknown as ReadRobots;
}
