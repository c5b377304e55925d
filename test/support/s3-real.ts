import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { AwsClient } from "aws4fetch";

import { TEST_SIGNER } from "./s3-double.ts";
import type { Signer } from "./s3-signature.ts";

/** An S3 server that is not ours, and an empty bucket on it. */
export interface RealS3 {
  readonly endpoint: string;
  readonly bucket: string;
  readonly signer: Signer;
  stop(): Promise<void>;
}

const run = promisify(execFile);
const script = fileURLToPath(new URL("s3-real.sh", import.meta.url));
const env = process.env;

/** True when tests shall also run on a real server; the words to print when they don't. */
export const HAS_REAL_S3 =
  env["PLATFORM_TEST_S3_REAL"] === "1" || env["PLATFORM_TEST_S3_ENDPOINT"] !== undefined;
export const NO_REAL_S3 =
  "S3 on a real server: not run (PLATFORM_TEST_S3_REAL=1 starts Ceph's from Debian's packages)";

/**
 * Starts Ceph's gateway, or takes the server at PLATFORM_TEST_S3_ENDPOINT with the credentials of the AWS variables. The
 * packages are kept under PLATFORM_TEST_CACHE, or the user's cache folder, or that for temporary files.
 */
export async function startRealS3(): Promise<RealS3> {
  const given = env["PLATFORM_TEST_S3_ENDPOINT"];
  const server = given === undefined ? await startCeph() : { endpoint: given, stop: async () => {} };
  const signer: Signer =
    given === undefined
      ? TEST_SIGNER
      : {
          accessKeyId: env["AWS_ACCESS_KEY_ID"] ?? "",
          secretAccessKey: env["AWS_SECRET_ACCESS_KEY"] ?? "",
          region: env["AWS_REGION"] ?? "us-east-1",
        };
  const bucket = `platform-test-${process.pid}-${Date.now()}`;
  const client = new AwsClient({ ...signer, service: "s3", retries: 3 });
  const made = await client.fetch(`${server.endpoint}/${bucket}`, { method: "PUT" });
  if (!made.ok) throw new Error(`no bucket on ${server.endpoint}: ${made.status} ${await made.text()}`);
  return { ...server, signer, bucket };
}

async function startCeph(): Promise<{ endpoint: string; stop(): Promise<void> }> {
  const base = env["PLATFORM_TEST_CACHE"] ?? env["XDG_CACHE_HOME"] ?? tmpdir();
  const folder = await mkdtemp(join(tmpdir(), "s3-real-"));
  const { stdout } = await run(script, ["start", join(base, "platform-test-radosgw"), folder], {
    env: { ...env, NODE: process.execPath },
  });
  return {
    endpoint: stdout.trim().split("\n").at(-1) ?? "",
    async stop() {
      await run(script, ["stop", folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
