import { expect, it } from "vitest";

import { gateFaults, gateNeedsScores } from "../../../server/engines/content/rules/publish-gate.ts";
import { DEFAULT_SETTINGS } from "../../../server/engines/content/repository.ts";
import { judge } from "../../../server/engines/content/rules/seo-score.ts";
import { sampleContent, sampleDraft } from "./samples.ts";
import { Draft, DraftContent } from "../../../server/engines/content/schema/draft.ts";
import { factsWith } from "./facts.ts";

const draft = Draft.parse(sampleDraft);
const content = DraftContent.parse(sampleContent);
const checks = judge(factsWith("links", { broken: 2 }));
const scored = { seo: 79, readability: 60, checks };
const codes = (
  settings: object,
  more: Partial<typeof scored> | null = {},
  text: Partial<DraftContent> = {},
) =>
  gateFaults(
    draft,
    { ...content, ...text },
    { ...DEFAULT_SETTINGS, ...settings },
    more === null ? null : { ...scored, ...more },
  ).map(({ code }) => code);
const gate = (members: object) => ({ gate: { ...DEFAULT_SETTINGS.gate, ...members } });

it("lets pass what has a title and a body", () => {
  expect(codes({}, null)).toEqual([]);
  expect(codes({}, null, { title: "", body: " \n" })).toEqual(["title", "body"]);
});

it("asks for approvals of this revision", () => {
  expect(codes({ approvals_required: 1 }, null)).toEqual(["approvals"]);
});

it("asks for scores and for checks that are not bad, at their borders", () => {
  expect(codes(gate({ min_seo: 79, min_readability: 60 }))).toEqual([]);
  expect(codes(gate({ min_seo: 80, min_readability: 61 }))).toEqual(["seo_score", "readability_score"]);
  expect(codes(gate({ required_checks: ["l3", "k1"] }))).toEqual(["check"]);
  expect([
    gateNeedsScores(DEFAULT_SETTINGS),
    gateNeedsScores({ ...DEFAULT_SETTINGS, ...gate({ min_seo: 0 }) }),
  ]).toEqual([false, true]);
});
