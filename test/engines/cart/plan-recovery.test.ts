import { expect, it } from "vitest";

import { abandonedAt, DEFAULT_TERMS, planSteps } from "../../../server/engines/cart/rules/plan-recovery.ts";

const timezone = "Europe/London";
const duesOf = (steps: ReturnType<typeof planSteps>) => steps.map(({ n, due_at: at }) => `${n} ${at}`);

it("A32 moves mails out of the quiet hours", () => {
  expect(duesOf(planSteps("2025-06-10T17:30:00.000Z", DEFAULT_TERMS, { timezone }))).toEqual([
    "1 2025-06-11T07:00:00.000Z",
    "2 2025-06-11T17:30:00.000Z",
    "3 2025-06-13T17:30:00.000Z",
  ]);
});

it("leaves ten hours between two mails", () => {
  // 06:00 in London: the first waits for 10:00, the second would be due at 11:00.
  const steps = [240, 300].map((delay) => ({ ...DEFAULT_TERMS.steps[0], delay_minutes: delay }));
  const terms = { ...DEFAULT_TERMS, steps: steps as typeof DEFAULT_TERMS.steps };
  expect(duesOf(planSteps("2025-06-10T05:00:00.000Z", terms, { timezone }))).toEqual([
    "1 2025-06-10T09:00:00.000Z",
    "2 2025-06-10T19:00:00.000Z",
  ]);
});

it("goes on after what was sent", () => {
  const [first] = planSteps("2025-06-10T08:00:00.000Z", DEFAULT_TERMS, { timezone });
  if (first === undefined) throw new Error("no step");
  const sent = [{ ...first, state: "sent" as const, at: "2025-06-10T12:00:00.000Z" }];
  expect(duesOf(planSteps("2025-06-10T13:00:00.000Z", DEFAULT_TERMS, { timezone, sent }))).toEqual([
    "2 2025-06-11T13:00:00.000Z",
    "3 2025-06-13T13:00:00.000Z",
  ]);
});

it("counts a cart as abandoned an hour after the last activity", () => {
  expect(abandonedAt("2025-06-10T08:00:00.000Z", DEFAULT_TERMS)).toBe(Date.parse("2025-06-10T09:00:00Z"));
});
