import { describe, expect, it } from "vitest";

import { systemClock } from "../../server/core/clock.ts";
import { demandSameClock, diagnoseStorage } from "../../server/storage/diagnose.ts";
import { openStore } from "../../server/storage/open.ts";
import { startS3Double } from "../support/s3-double.ts";

describe("the clock of an S3 server", () => {
  it("is not compared where unsigned requests get no answer, and the store opens all the same", async () => {
    const double = await startS3Double();
    try {
      const config = {
        driver: "s3" as const,
        ...double.signer,
        endpoint: double.endpoint,
        bucket: double.bucket,
      };
      const finding = { id: "storage.s3.clock", status: "ok" };
      expect(await diagnoseStorage(config, { clock: systemClock })).toEqual([
        expect.objectContaining(finding),
      ]);
      double.fault = ({ method }) => (method === "HEAD" ? { kind: "drop", effect: false } : null);
      expect(await demandSameClock(config, { clock: systemClock })).toEqual([
        "The storage: the clock of the server could not be compared: it does not answer unsigned requests. " +
          "Check that the clock of this machine is synchronised.",
      ]);
      await (await openStore(config, { clock: systemClock })).close();
    } finally {
      await double.close();
    }
  });
});
