import { openNode } from "../support/s3-node.ts";
import type { TestBucket } from "../support/s3-node.ts";
import type { Subject, TestClock } from "./conformance.ts";

/** A store for the conformance suite; `done` is called when the suite has no more use for it. */
export async function openSubject(
  bucket: TestBucket,
  { clock, prefix, done }: { readonly clock: TestClock; readonly prefix: string; done(): Promise<void> },
): Promise<Subject> {
  const driver = await openNode(bucket, { clock, prefix });
  return {
    driver,
    async reopen() {
      await driver.close();
      return openSubject(bucket, { clock, prefix, done });
    },
    async dispose() {
      await driver.close();
      await done();
    },
  };
}
