import { expect, it } from "vitest";

import { endOf } from "../../../server/engines/forms/rules/event-end.ts";

it.each([
  ["12:30", "14:30"],
  ["21:59", "23:59"],
  ["22:00", "23:59"],
  ["00:05", "02:05"],
])("an event that begins at %s ends at %s", (start, end) => expect(endOf(start)).toBe(end));
