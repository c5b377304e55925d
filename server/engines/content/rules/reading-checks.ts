import type { Check, CheckStatus } from "../schema/score.ts";
import { percent, round2, toCheck } from "./check.ts";
import type { SeoFacts } from "./seo-facts.ts";

const TRANSITIONS_FROM_WORDS = 200;

/** A text of fewer words says nothing about how its author writes. */
export const READING_FROM_WORDS = 50;

/** Checks r1 to r5: is it easy to read? */
export function readingChecks({ words, reading }: SeoFacts): Check[] {
  const isScored = words >= READING_FROM_WORDS;
  const sentences = isScored ? reading.sentences : 0;
  const flesch = isScored ? reading.flesch : null;
  const { passiveSentences: passive, transitionSentences: transitions } = reading;
  const share = (count: number | null): number | null =>
    count === null || sentences === 0 ? null : percent(count, sentences);
  const long = share(reading.longSentences);
  const passiveShare = share(passive);
  const transitionShare = words < TRANSITIONS_FROM_WORDS ? null : share(transitions);
  return [
    toCheck({
      id: "r1",
      name: "Flesch reading ease",
      status: flesch === null ? "na" : flesch >= 60 ? "good" : flesch >= 50 ? "ok" : "bad",
      value: flesch === null ? null : round2(flesch),
      threshold: "at least 60",
      fix: "Use shorter sentences and shorter words.",
    }),
    toCheck({
      id: "r2",
      name: "Long sentences",
      status: atMost(long, 25, 30),
      value: long,
      threshold: "at most 25 %",
      fix: "Divide long sentences.",
    }),
    toCheck({
      id: "r3",
      name: "Passive voice",
      status: atMost(passiveShare, 10, 15),
      value: passiveShare,
      threshold: "at most 10 % of the sentences",
      fix: "Use the active voice.",
    }),
    toCheck({
      id: "r4",
      name: "Transition words",
      status:
        transitionShare === null
          ? "na"
          : transitionShare >= 30
            ? "good"
            : transitionShare >= 20
              ? "ok"
              : "bad",
      value: transitionShare,
      threshold: "at least 30 % of the sentences",
      fix: "Connect sentences with transition words: because, however, for example, then.",
    }),
    toCheck({
      id: "r5",
      name: "Consecutive sentences with the same beginning",
      status: sentences === 0 ? "na" : reading.sameStart < 3 ? "good" : "bad",
      value: sentences === 0 ? null : reading.sameStart,
      threshold: "fewer than 3 in a row",
      fix: "Start one of the sentences with another word.",
    }),
  ];
}

const atMost = (value: number | null, good: number, fair: number): CheckStatus =>
  value === null ? "na" : value <= good ? "good" : value <= fair ? "ok" : "bad";
