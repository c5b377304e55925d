import { toInstant } from "../../../lib/instant.ts";
import { createNewId } from "../../../core/ids.ts";
import { DEMO_PROMPTS } from "./demo-answers.ts";
import { DEMO_PAGES } from "./demo-pages.ts";
import { DEMO_QUESTIONS } from "./demo-questions.ts";

export const DEMO_LOCALE = "en-GB";

/** Ids of the demo documents: the same in every run, so that examples and documentation can refer to them. */
export const DEMO_IDS = makeIds();

function makeIds() {
  const fixed = { next: () => 0.5, bytes: (count: number) => new Uint8Array(count) };
  const newId = createNewId({ now: () => Date.UTC(2026, 0, 1) }, fixed);
  const each = <K extends string>(keys: readonly K[], prefix: string): ReadonlyMap<K, string> =>
    new Map(keys.map((key) => [key, newId(prefix)]));
  const pageKeys = DEMO_PAGES.map(({ key }) => key);
  return {
    pages: each(pageKeys, "pag"),
    earlier: each(pageKeys, "scr"),
    scores: each(pageKeys, "scr"),
    questions: DEMO_QUESTIONS.map(() => newId("aqs")),
    own: newId("brd"),
    loafly: newId("brd"),
    bakehaus: newId("brd"),
    prompts: each(
      DEMO_PROMPTS.map(({ key }) => key),
      "prm",
    ),
    markup: newId("sch"),
    draftMarkup: newId("sch"),
    rewrite: newId("rwr"),
    run: newId("run"),
  };
}

export const timesAt = (ms: number) => ({ created_at: toInstant(ms), updated_at: toInstant(ms) });
