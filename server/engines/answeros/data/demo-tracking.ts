import { DAY_MS, toInstant } from "../../../lib/instant.ts";
import { splitSentences } from "../../../lib/text/sentences.ts";
import { promptCellId, standingId, topicCellId } from "../repository.ts";
import { buildObservation } from "../rules/build-observation.ts";
import { nextStanding } from "../rules/next-standing.ts";
import { brandNames, readAnswer } from "../rules/read-answer.ts";
import { addSums, noSums, sumsOf } from "../rules/tally.ts";
import type { Aggregate, Brand, Observation, Prompt, Run, Standing } from "../schema/tracking.ts";
import { DEMO_PROMPTS } from "./demo-answers.ts";
import type { DemoPrompt } from "./demo-answers.ts";
import { DEMO_IDS, DEMO_LOCALE, timesAt } from "./demo-ids.ts";
import { DEMO_SHOP } from "./demo-pages.ts";

const WEEKS = 6;

export function demoBrands(now: number): Brand[] {
  const brand = (id: string, rest: Pick<Brand, "name" | "aliases" | "domains" | "own">): Brand => ({
    id,
    ...timesAt(now - 45 * DAY_MS),
    ...rest,
  });
  return [
    brand(DEMO_IDS.own, {
      name: DEMO_SHOP,
      aliases: ["Demo Bakery"],
      domains: ["bakery.example"],
      own: true,
    }),
    brand(DEMO_IDS.loafly, { name: "Loafly", aliases: [], domains: ["loafly.example"], own: false }),
    brand(DEMO_IDS.bakehaus, { name: "Bakehaus", aliases: [], domains: ["bakehaus.example"], own: false }),
  ];
}

export const demoPrompts = (now: number): Prompt[] =>
  DEMO_PROMPTS.map(({ key, text, topic, engines }) => ({
    id: DEMO_IDS.prompts.get(key) ?? "",
    ...timesAt(now - 44 * DAY_MS),
    text,
    topic,
    locale: DEMO_LOCALE,
    engines: [...engines],
    cadence: "weekly",
    prompt_version: 1,
    active: true,
    last_run_at: toInstant(now - DAY_MS),
    next_run_at: toInstant(now + 6 * DAY_MS),
  }));

/** Six weeks of answers, three samples a week, and their sums by day. */
export function demoObservations(now: number) {
  const brands = demoBrands(now);
  const names = brandNames(brands);
  const tools = { sentences: splitSentences(DEMO_LOCALE), sentiment: () => 0 };
  const observations: Observation[] = [];
  const aggregates = new Map<string, Aggregate>();
  const standings = new Map<string, Omit<Standing, "id">>();
  for (const observation of demoAnswers(now)) {
    observations.push(observation);
    const sums = sumsOf(observation, readAnswer(observation, names, tools), brands);
    const { engine, topic, prompt_id, prompt_version, at, citations } = observation;
    const isCited = citations.some(({ domain }) => domain === "bakery.example");
    const place = standingId(observation);
    const { next } = nextStanding(standings.get(place) ?? null, { at, isCited });
    if (next !== null) standings.set(place, next);
    const base = { day: observation.at.slice(0, 10), engine, topic, extraction_version: 1 };
    const cells: Omit<Aggregate, "sums">[] = [
      { ...base, id: promptCellId(observation), kind: "prompt", prompt_id, prompt_version },
      { ...base, id: topicCellId(base), kind: "topic", prompt_id: null, prompt_version: null },
    ];
    for (const cell of cells) {
      const before = aggregates.get(cell.id)?.sums ?? noSums();
      aggregates.set(cell.id, { ...cell, sums: addSums(before, sums) });
    }
  }
  return {
    observations,
    aggregates: [...aggregates.values()],
    standings: [...standings].map(([id, standing]) => ({ id, ...standing })),
  };
}

function demoAnswers(now: number): Observation[] {
  const observations: Observation[] = [];
  for (let week = 0; week < WEEKS; week += 1) {
    const at = toInstant(now - (1 + 7 * (WEEKS - 1 - week)) * DAY_MS);
    for (const prompt of DEMO_PROMPTS) {
      // One engine is uploaded weekly, another every other week.
      for (const engine of prompt.engines.filter(
        (name) => name === "chatgpt" || (name === "perplexity" && week % 2 === 1),
      )) {
        for (const sample of [1, 2, 3])
          observations.push(observationOf(prompt, { week, engine, sample, at }));
      }
    }
  }
  return observations;
}

function observationOf(
  prompt: DemoPrompt,
  { week, engine, sample, at }: { week: number; engine: string; sample: number; at: string },
): Observation {
  // 0 in the first weeks, 2 in the last ones, with varying samples.
  const choice = Math.min(2, Math.floor((week + sample + (engine === "perplexity" ? 1 : 0)) / 3));
  const answer = prompt.answers[choice] ?? { text: "", cites: [], sentiment: "neutral" as const };
  return buildObservation(
    {
      origin: "import",
      run_id: null,
      prompt_id: DEMO_IDS.prompts.get(prompt.key) ?? "",
      prompt_version: 1,
      topic: prompt.topic,
      locale: DEMO_LOCALE,
      engine,
      model: engine === "chatgpt" ? "gpt-5" : "sonar",
      sample,
      at,
      answer_text: answer.text,
      citations: answer.cites.map((url) => ({ url })),
      sentiment: answer.sentiment,
    },
    at,
  );
}

/** A failed run: the store has not configured that provider. */
export function demoRuns(now: number): Run[] {
  const [prompt] = DEMO_PROMPTS;
  if (prompt === undefined) return [];
  const at = toInstant(now - DAY_MS);
  return [
    {
      id: DEMO_IDS.run,
      ...timesAt(now - DAY_MS),
      prompt_id: DEMO_IDS.prompts.get(prompt.key) ?? "",
      prompt_version: 1,
      prompt_text: prompt.text,
      topic: prompt.topic,
      locale: DEMO_LOCALE,
      engine: "perplexity",
      model: null,
      samples: 3,
      done: 0,
      status: "failed",
      error: { code: "provider_unknown", detail: "No provider perplexity is configured." },
      attempts: 1,
      not_before: null,
      finished_at: at,
    },
  ];
}
