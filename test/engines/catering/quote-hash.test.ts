import { expect, it } from "vitest";

import { contentOf } from "../../../server/engines/catering/rules/draft-quote.ts";
import { quoteHash } from "../../../server/engines/catering/rules/quote-hash.ts";
import { line, quote } from "./make.ts";

const content = contentOf(quote());
const hash = quoteHash("cqt_1", 1, content);

it("does not depend on the order of members", () => {
  const turned = Object.fromEntries(Object.entries(content).toReversed());
  expect(quoteHash("cqt_1", 1, turned)).toBe(hash);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
});

it("depends on everything else", () => {
  const others = [
    quoteHash("cqt_2", 1, content),
    quoteHash("cqt_1", 2, content),
    quoteHash("cqt_1", 1, { ...content, title: "Dinner" }),
    quoteHash("cqt_1", 1, { ...content, lines: [line({ unit_price: 1296 })] }),
    quoteHash("cqt_1", 1, { ...content, lines: [] }),
    quoteHash("cqt_1", 1, { ...content, policy: { ...content.policy, late_cancel_bps: 0 } }),
    quoteHash("cqt_1", 1, { ...content, valid_until: "2026-06-13T16:00:00.000Z" }),
  ];
  expect(new Set([hash, ...others]).size).toBe(8);
});
