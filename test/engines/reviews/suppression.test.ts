import { describe, expect, it } from "vitest";

import { judgeSuppression } from "../../../server/engines/reviews/rules/suppression.ts";

describe("the suppression report", () => {
  it.each([
    [
      "A18",
      { decided: 30, rejected: 6 },
      { decided: 200, rejected: 10 },
      { ratio: 4, z: 3.0114, flagged: true },
    ],
    [
      "A18: too few",
      { decided: 15, rejected: 4 },
      { decided: 90, rejected: 2 },
      { z: 3.7761, flagged: false },
    ],
    [
      "equal rates",
      { decided: 100, rejected: 5 },
      { decided: 100, rejected: 5 },
      { ratio: 1, z: 0, flagged: false },
    ],
    [
      "more of the high ones",
      { decided: 100, rejected: 1 },
      { decided: 100, rejected: 9 },
      { flagged: false },
    ],
    // (5.5 / 41) / (0.5 / 201)
    [
      "no high one",
      { decided: 40, rejected: 5 },
      { decided: 200, rejected: 0 },
      { ratio: 53.9268, flagged: true },
    ],
    [
      "nothing decided",
      { decided: 0, rejected: 0 },
      { decided: 9, rejected: 0 },
      { rate_low: null, ratio: null, z: null, flagged: false },
    ],
    [
      "nothing rejected",
      { decided: 50, rejected: 0 },
      { decided: 50, rejected: 0 },
      { z: 0, flagged: false },
    ],
  ])("%s", (_, low, high, expected) => expect(judgeSuppression(low, high)).toMatchObject(expected));
});
