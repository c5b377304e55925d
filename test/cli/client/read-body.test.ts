import { expect, it } from "vitest";

import { readBody } from "../../../cli/client/answer.ts";

it("reads no body that is longer than a text can be", async () => {
  // The same bytes each time, which take no memory of their own.
  const part = Buffer.alloc(64_000_000);
  const chunks = async function* endless() {
    for (let sent = 0; sent < 12; sent += 1) yield part;
    throw new Error("It was read on.");
  };
  await expect(readBody({ chunks: chunks() })).rejects.toThrow("The response is larger than 536 MB.");
});
