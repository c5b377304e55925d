import { describe, expect, it } from "vitest";

import { graphFaultSteps } from "../../../server/engines/menus/rules/group-graph.ts";
import { runAtOnce } from "../../../server/lib/slices.ts";

/** `a: "b c"`: group a has a modifier that opens the groups b and c. */
const fault = (shape: Readonly<Record<string, string>>, depth = 3): string | null => {
  const graph = {
    groups: Object.keys(shape).map((id) => ({ id, modifier_ids: [`m-${id}`] })),
    modifiers: Object.entries(shape).map(([id, inner]) => ({
      id: `m-${id}`,
      nested_group_ids: inner.split(" ").filter(Boolean),
    })),
  };
  const found = runAtOnce(graphFaultSteps(graph, depth));
  return found === null ? null : `${found.fault} ${found.groupId}`;
};

describe("graphFaultSteps", () => {
  it.each([
    ["one group", { a: "" }, null],
    ["three deep", { a: "b", b: "c", c: "" }, null],
    ["four deep", { a: "b", b: "c", c: "d", d: "" }, "too_deep a"],
    ["inside itself", { a: "a" }, "circle a"],
    ["inside itself by way of another", { x: "", a: "b", b: "a" }, "circle a"],
    ["a diamond is no circle", { a: "b c", b: "d", c: "d", d: "" }, null],
    ["a group that is not there ends the way", { a: "z" }, null],
  ] as const)("%s", (_, shape, expected) => expect(fault(shape)).toBe(expected));
});
