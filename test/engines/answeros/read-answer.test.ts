import { describe, expect, it } from "vitest";

import { brandNames, ownsDomain, readAnswer } from "../../../server/engines/answeros/rules/read-answer.ts";
import { citationsOf } from "../../../server/engines/answeros/rules/build-observation.ts";
import { answerTools } from "../../../server/engines/answeros/services/readers.ts";
import { BRANDS, CRUMB, tools } from "./fixture.ts";

const names = brandNames(BRANDS);
const answer = (text: string, cites: readonly string[] = []) => ({
  answer_text: text,
  citations: citationsOf(cites.map((url) => ({ url }))),
  sentiment: null,
});

describe("an answer", () => {
  it("is felt by the sentences that name the brand alone (AFINN)", async () => {
    const afinn = await answerTools("en-GB");
    const { mentions } = readAnswer(
      answer("Crumb is wonderful. Loafly is terrible. It rains."),
      names,
      afinn,
    );
    expect(mentions.map((mention) => mention.sentiment)).toEqual(["positive", "negative"]);
    expect(readAnswer(answer("Crumb is a bakery."), names, afinn).mentions[0]?.sentiment).toBe("neutral");
  });

  it("is read with a thousand names in thousands of sentences", () => {
    const many = Array.from({ length: 50 }, (_, at) => ({
      id: `brd_${at}`,
      name: `Bakery number ${at}`,
      aliases: Array.from({ length: 20 }, (_none, of) => `${"Baker ".repeat(15)}${at} ${of}`),
      domains: [],
    }));
    const text = "Bakery number 7. ".repeat(1_100);
    const { mentions } = readAnswer(answer(text), brandNames(many), tools);
    expect(mentions.map(({ brand_id, count }) => [brand_id, count])).toEqual([["brd_7", 1_100]]);
  });

  it("has the label of its source where there is one", () => {
    const labelled = { ...answer("Crumb is terrible."), sentiment: "positive" as const };
    expect(readAnswer(labelled, names, tools).mentions[0]?.sentiment).toBe("positive");
  });

  it("has shares of its words by domain", () => {
    const read = readAnswer(
      answer("Crumb bakes [1]. Crumb ships [2].", ["https://crumb.example/a", "https://crumb.example/b"]),
      names,
      tools,
    );
    expect(Object.keys(read.pawc ?? {})).toEqual(["crumb.example"]);
    expect(readAnswer(answer("Crumb bakes.", ["https://crumb.example/"]), names, tools).pawc).toBeNull();
  });

  it("tells own domains from those that only end alike", () => {
    expect(ownsDomain(CRUMB, "crumb.example")).toBe(true);
    expect(ownsDomain(CRUMB, "shop.crumb.example")).toBe(true);
    expect(ownsDomain(CRUMB, "notcrumb.example")).toBe(false);
  });
});
