import { assert, boolean, constant, constantFrom, integer, option, property, record } from "fast-check";
import type { Arbitrary } from "fast-check";
import { describe, expect, it } from "vitest";

import type { Filter } from "../../../server/engines/reviews/rules/pick-places.ts";
import {
  filedTarget,
  filedUnder,
  matches,
  pickPlaces,
} from "../../../server/engines/reviews/rules/pick-places.ts";
import { seeded } from "../../seeded.ts";
import { makeReview } from "./make.ts";

const loaf = { type: "product" as const, id: "loaf" };
const T = filedTarget(loaf);

describe("where a list is read", () => {
  it.each<[Filter, string[]]>([
    [{ sort: "recent" }, ["new:"]],
    [{ sort: "recent", target: loaf }, [`by:${T}`]],
    [{ sort: "recent", status: "pending" }, ["by:pending"]],
    [{ sort: "recent", rating: 1 }, ["by:published.r1"]],
    [{ sort: "recent", status: "pending", rating: 1, target: loaf }, [`by:pending.${T}.r1`]],
    [{ sort: "helpful", target: loaf }, [`helpful:published.${T}`]],
    [{ sort: "media" }, ["by:published.m", "by:published"]],
    [{ sort: "recent", locale: "de" }, ["by:published.l.de"]],
    [{ sort: "rating_asc" }, [1, 2, 3, 4, 5].map((star) => `by:published.r${star}`)],
  ])("%j", (filter, expected) =>
    expect(pickPlaces(filter).map(({ index, value }) => `${index}:${value}`)).toEqual(expected),
  );

  it("has no user text in it", () =>
    expect(filedTarget({ type: "product", id: "a:b/c d" })).toMatch(/^t[0-9a-f]{24}$/));

  it("finds reviews of an earlier version, with tags as they were sent, by the usual form", () => {
    const old = makeReview({ locale: "pt-br", status: "published" });
    const asked = { sort: "recent", locale: "pt-BR" } as const;
    const found = pickPlaces(asked).filter(({ value }) => filedUnder(old).includes(value));
    expect(found).toHaveLength(1);
    for (const place of found) expect(matches(old, asked, place)).toBe(true);
  });

  it("finds every review that fits, once", () => {
    const review = record({
      rating: integer({ min: 1, max: 5 }),
      status: constantFrom("published" as const, "pending" as const),
      reply: constantFrom(null, {
        body: "x",
        by: "x",
        at: "2026-06-01T09:00:00.000Z",
        status: "published" as const,
      }),
      media: constantFrom(
        [],
        [
          {
            id: "m",
            type: "image" as const,
            url: "https://x.example/",
            alt: "",
            status: "published" as const,
          },
        ],
        [
          {
            id: "m",
            type: "image" as const,
            url: "https://x.example/",
            alt: "",
            status: "rejected" as const,
          },
        ],
      ),
      incentive: constantFrom({ type: "none" as const, note: "" }, { type: "coupon" as const, note: "" }),
    });
    const maybe = <T>(value: Arbitrary<T>) => option(value, { nil: undefined });
    const filter = record({
      rating: maybe(integer({ min: 1, max: 5 })),
      incentive: maybe(constantFrom("none", "coupon")),
      has_media: maybe(boolean()),
      has_reply: maybe(boolean()),
      target: maybe(constant(loaf)),
      status: maybe(constantFrom("published", "pending")),
      sort: constantFrom("recent" as const, "rating_desc" as const, "rating_asc" as const, "media" as const),
    });
    assert(
      property(review, filter, (more, asked) => {
        const one = makeReview({ ...more, media: [...more.media], target: loaf });
        const filed = new Set(["new:", ...filedUnder(one).map((value) => `by:${value}`)]);
        const found = pickPlaces(asked).filter(
          (place) => filed.has(`${place.index}:${place.value}`) && matches(one, asked, place),
        );
        const isPlain =
          asked.sort === "recent" &&
          [asked.rating, asked.incentive, asked.has_media, asked.has_reply].every(
            (value) => value === undefined,
          );
        const status = asked.status ?? (isPlain ? undefined : "published");
        const fits =
          (status === undefined || one.status === status) &&
          (asked.rating === undefined || one.rating === asked.rating) &&
          (asked.incentive === undefined || one.incentive.type === asked.incentive) &&
          (asked.has_media === undefined ||
            one.media.some(({ status: shown }) => shown !== "rejected") === asked.has_media) &&
          (asked.has_reply === undefined || (one.reply !== null) === asked.has_reply);
        expect(found).toHaveLength(fits ? 1 : 0);
      }),
      seeded(500),
    );
  });
});
