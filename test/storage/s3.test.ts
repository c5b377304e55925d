import { createSystemRandom } from "../../server/kernel/ids.ts";
import { openS3Driver } from "../../server/storage/s3.ts";
import { startS3Double } from "../support/s3-double.ts";
import { conformance } from "./conformance.ts";
import type { Subject, TestClock } from "./conformance.ts";

async function open(clock: TestClock): Promise<Subject> {
  const double = await startS3Double();
  const openDriver = () =>
    openS3Driver({
      ...double.signer,
      endpoint: double.endpoint,
      bucket: "test",
      clock,
      random: createSystemRandom(),
    });
  const subjectOf = async (): Promise<Subject> => {
    const driver = await openDriver();
    return {
      driver,
      async reopen() {
        await driver.close();
        return subjectOf();
      },
      async dispose() {
        await driver.close();
        await double.close();
      },
    };
  };
  return subjectOf();
}

conformance({ name: "s3 on the double", open, seeds: 3 });
