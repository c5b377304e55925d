import { expect, it } from "vitest";

import { safeCell } from "../../server/lib/safe-cell.ts";

it.each(["=1+1", "+44", "-2", "@x", "\tx", "\rx", "\nx", "＝1+1"])("%j is no formula", (text) =>
  expect(safeCell(text)).toBe(`'${text}`),
);

it("leaves other cells as they are", () => expect(safeCell("a=b")).toBe("a=b"));
