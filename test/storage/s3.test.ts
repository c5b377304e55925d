import { afterAll } from "vitest";

import { startS3Double } from "../support/s3-double.ts";
import { HAS_REAL_S3, NO_REAL_S3, startRealS3 } from "../support/s3-real.ts";
import type { RealS3 } from "../support/s3-real.ts";
import { conformance } from "./conformance.ts";
import { openSubject } from "./s3-subject.ts";

// One seed is some two thousand signed requests. PLATFORM_TEST_S3_SEEDS=200 runs as many as the other drivers do.
const SEEDS = Number(process.env["PLATFORM_TEST_S3_SEEDS"] ?? 10);

conformance({
  name: "s3 on the double",
  seeds: SEEDS,
  async open(clock) {
    const double = await startS3Double();
    return openSubject(double, { clock, prefix: "", done: () => double.close() });
  },
});

if (!HAS_REAL_S3) console.log(NO_REAL_S3);
else {
  let real: Promise<RealS3> | undefined;
  let stores = 0;
  afterAll(async () => (await real)?.stop());
  conformance({
    name: "s3 on a real server",
    seeds: 3,
    async open(clock) {
      const prefix = `store/${++stores}`;
      return openSubject(await (real ??= startRealS3()), { clock, prefix, done: async () => {} });
    },
  });
}
