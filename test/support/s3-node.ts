import { systemClock } from "../../server/core/clock.ts";
import { createSystemRandom } from "../../server/core/ids.ts";
import { openS3Driver } from "../../server/storage/s3.ts";
import type { S3Driver, S3Options } from "../../server/storage/s3.ts";
import type { Signer } from "./s3-signature.ts";

/** Where the bucket of a test is. */
export interface TestBucket {
  readonly endpoint: string;
  readonly signer: Signer;
  readonly bucket: string;
}

/** A node on a bucket; a `prefix` keeps tests on one bucket apart. */
export function openNode(
  { endpoint, signer, bucket }: TestBucket,
  options: Partial<S3Options> = {},
): Promise<S3Driver> {
  const random = createSystemRandom();
  return openS3Driver({ ...signer, endpoint, bucket, clock: systemClock, random, ...options });
}
