import { createSystemRandom } from "../../server/kernel/ids.ts";
import { openS3Driver } from "../../server/storage/s3.ts";
import type { S3Driver, S3Options } from "../../server/storage/s3.ts";
import type { Signer } from "../support/s3-signature.ts";
import type { Subject, TestClock } from "./conformance.ts";
import { createTestClock } from "./conformance.ts";

/** Where the bucket of a test is. */
export interface TestBucket {
  readonly endpoint: string;
  readonly signer: Signer;
  readonly bucket: string;
}

/** A node on a bucket; `prefix` keeps tests on one bucket apart. */
export function openNode(
  { endpoint, signer, bucket }: TestBucket,
  options: Partial<S3Options> = {},
): Promise<S3Driver> {
  const random = createSystemRandom();
  return openS3Driver({ ...signer, endpoint, bucket, clock: createTestClock(), random, ...options });
}

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
