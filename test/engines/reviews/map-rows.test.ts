import { describe, expect, it } from "vitest";

import { mapRow, missingColumns } from "../../../server/engines/reviews/rules/map-rows.ts";

const naming = {
  mapping: { target_id: "handle", author_name: "reviewer" },
  defaults: { target_type: "variant", country: "gb" },
};

describe("rows of an import", () => {
  it("are read by the columns named, by members of the same name, and by what holds otherwise", () => {
    const row = {
      handle: "loaf",
      reviewer: " Ada ",
      rating: "4.0",
      body: "Good",
      email: "Ada@X.Example",
      submitted_at: "2025-03-04 10:30",
    };
    expect(mapRow(row, naming, 1)).toMatchObject({
      mapped: {
        target: { type: "variant", id: "loaf" },
        author_name: "Ada",
        rating: 4,
        email: "ada@x.example",
        country: "GB",
        submitted_at: "2025-03-04T10:30:00.000Z",
        status: "pending",
        incentive: "none",
        recommends: null,
      },
    });
  });

  it.each([
    [{ rating: "" }, "rating"],
    [{ rating: "6" }, "rating"],
    [{ rating: "4.5" }, "rating"],
    [{ handle: "" }, "target_id"],
    [{ email: "nobody" }, "email"],
    [{ product_url: "javascript:alert(1)" }, "product_url"],
    [{ submitted_at: "04/03/2025" }, "submitted_at"],
    [{ submitted_at: "2025-02-29" }, "submitted_at"],
    [{ submitted_at: "0000-01-01 00:00 +14:00" }, "submitted_at"],
    [{ submitted_at: "9999-12-31 23:59 -0500" }, "submitted_at"],
    [{ status: "spam" }, "status"],
    [{ incentive: "bribe" }, "incentive"],
    [{ locale: "english" }, "locale"],
    [{ title: "x".repeat(151) }, "title"],
  ])("tells what is wrong with %j", (more, field) => {
    const found = mapRow({ handle: "loaf", reviewer: "Ada", rating: "5", ...more }, naming, 7);
    expect(found).toMatchObject({ problems: [{ row: 7, field }] });
  });

  it.each([
    ["4/5", 4],
    ["5", 5],
    ["3.00", 3],
  ])("reads %s stars", (rating, expected) =>
    expect(mapRow({ handle: "loaf", rating }, naming, 1)).toMatchObject({ mapped: { rating: expected } }),
  );

  it.each([
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["2025-03-04 10:30:15.5 UTC", "2025-03-04T10:30:15.500Z"],
    ["2025-03-04T10:30+0200", "2025-03-04T08:30:00.000Z"],
    ["2025-03-04 00:30:00 +05:30", "2025-03-03T19:00:00.000Z"],
  ])("reads the time %s", (text, expected) =>
    expect(mapRow({ handle: "loaf", rating: "5", submitted_at: text }, naming, 1)).toMatchObject({
      mapped: { submitted_at: expected },
    }),
  );

  it("names columns that are not there", () =>
    expect(missingColumns(["handle"], naming)).toEqual(["author_name"]));
});
