import { describe, expect, it } from "vitest";

import { byValue, oneValue } from "../../server/core/by-value.ts";

describe("filters that exclude each other", () => {
  it("are read from the index by the one that is set, or in the order of the collection", () => {
    expect(byValue(oneValue({ status: undefined, owner: "cus_1" }), { limit: 5 })).toEqual({
      limit: 5,
      index: "by",
      value: "cus_1",
    });
    expect(byValue(oneValue({ status: undefined }), { limit: 5 })).toEqual({ limit: 5 });
  });

  it("are refused together, with the name of the second one and the choice", () => {
    const refused = {
      type: "unprocessable_content",
      options: {
        errors: [
          {
            parameter: "owner",
            detail: "Filters cannot be combined on this list. Specify only one of status, owner, number.",
          },
        ],
      },
    };
    expect(() => oneValue({ status: "open", owner: "cus_1", number: undefined })).toThrow(
      expect.objectContaining(refused),
    );
  });
});
