import { describe, expect, it } from "vitest";

import {
  REVIEW,
  faultsIn,
  faultyStep,
  nextPage,
  openSteps,
} from "../../../server/engines/forms/rules/walk.ts";
import { content, field } from "./make.ts";

const form = content({
  fields: [
    field("kind"),
    field("detail", { visible_when: { field: "kind", op: "eq", value: "x" } }),
    field("company", { visible_when: { field: "kind", op: "eq", value: "office" } }),
    field("last"),
  ],
  steps: [
    { key: "one", title: "One", fields: ["kind", "detail"] },
    { key: "two", title: "Two", fields: ["company"] },
    { key: "three", title: "Three", fields: ["last"], visible_when: { field: "kind", op: "not_empty" } },
  ],
});
const stepsOf = (data: Record<string, string>) => openSteps(form, data, "sto");
const keys = async (data: Record<string, string>) => (await stepsOf(data)).map(({ key }) => key);
const fault = (name: string) => ({ field: name, code: "required", message: "?" });

describe("the steps of a form", () => {
  it("are those that have something to show with the answers so far", async () => {
    const all = [{}, { kind: "office" }, { kind: "x" }].map(keys);
    expect(await Promise.all(all)).toEqual([["one"], ["one", "two", "three"], ["one", "three"]]);
  });

  it("show a field that depends on the same step, whose answer the page cannot know yet", async () => {
    const [one] = await stepsOf({});
    expect(one?.shown.map(({ key }) => key)).toEqual(["kind", "detail"]);
  });

  it.each([
    [{ go: "next", step: "one", reviewed: false }, [], "two"],
    [{ go: "next", step: "three", reviewed: false }, [], REVIEW],
    // Nothing is left to check only when nothing is missing.
    [{ go: "next", step: "three", reviewed: false }, ["kind"], "one"],
    [{ go: "next", step: "two", reviewed: true }, [], REVIEW],
    [{ go: "next", step: "two", reviewed: true }, ["last"], "three"],
    [{ go: "back", step: REVIEW, reviewed: true }, [], "three"],
    [{ go: "back", step: "one", reviewed: false }, [], "one"],
    [{ go: "to.two", step: REVIEW, reviewed: true }, [], "two"],
    [{ go: "to.nowhere", step: REVIEW, reviewed: true }, [], "one"],
    [{ go: "next", step: "gone", reviewed: false }, [], "one"],
  ] as const)("%j with faults %j leads to %s", async (walk, faults, next) => {
    const steps = await stepsOf({ kind: "office" });
    expect(nextPage(steps, walk, faults.map(fault))).toBe(next);
  });

  it("know their own faults", async () => {
    const steps = await stepsOf({ kind: "office" });
    expect(faultyStep(steps, [fault("last")])).toBe("three");
    expect(faultyStep(steps, [fault("privacy")])).toBe(null);
    expect(faultsIn(steps[0], [fault("kind"), fault("last")])).toEqual([fault("kind")]);
    expect(faultsIn(undefined, [fault("kind")])).toEqual([]);
  });
});
