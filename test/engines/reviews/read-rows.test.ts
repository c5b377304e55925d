import { expect, it } from "vitest";

import { readImportRows } from "../../../server/engines/reviews/services/read-rows.ts";

it("of an import have the cells that are read, of all columns", async () => {
  const text = "target_id,stars,rating,note,title\nloaf,5,4,x,\n";
  const mapping = { rating: "stars" };
  expect(await readImportRows("sto_rows", { text, format: "csv", mapping })).toEqual({
    rows: [{ target_id: "loaf", stars: "5" }],
    columns: ["target_id", "stars", "rating", "note", "title"],
  });
});
