import { expect, it } from "vitest";

import { createLosses } from "../../../../server/engines/menus/formats/losses.ts";

it("keys that differ after what is shown are one place", () => {
  const losses = createLosses();
  const long = "x".repeat(500);
  for (const end of ["a", "b"]) losses.add(["items", `${long}${end}`], "Not supported.");
  expect(losses.list()).toEqual([
    {
      path: `/items/${"x".repeat(200)}…`,
      reason: "Not supported.",
      severity: "content",
      count: 2,
    },
  ]);
});
