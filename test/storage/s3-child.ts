import { writeSync } from "node:fs";

import { startS3Double } from "../support/s3-double.ts";
import { withoutRedo } from "../support/s3-blind.ts";
import { badWeather } from "../support/s3-weather.ts";
import { transfer } from "./bank.ts";
import { createRandom } from "./random.ts";
import { openNode } from "../support/s3-node.ts";

// A process of its own, started by processes.ts and killed at any moment. It tells on its output what happened, one line each.
//   bank ENDPOINT BUCKET SEED [blind]   transfers money in four lanes; "blind" is the negative control
//   double PART SEED                    an S3 double in bad weather, for so large a part of its requests

const [, , task, ...args] = process.argv;
const tell = (line: string): void => void writeSync(1, `${line}\n`);
const LANES = 4;

async function bank([endpoint = "", bucket = "", seed = "1", how = ""]: readonly string[]): Promise<void> {
  const random = createRandom(Number(seed));
  const signer = { accessKeyId: "TESTKEY", secretAccessKey: "TESTSECRET", region: "us-east-1" };
  const blind = how === "blind" ? { transport: withoutRedo() } : {};
  const open = () => openNode({ endpoint, bucket, signer }, { timeoutMs: 1000, ...blind });
  // In bad weather a start may fail, as one of `serve` would: it is repeated.
  const driver = await open().catch(open).catch(open);
  tell("READY");
  const lane = async (name: string): Promise<void> => {
    for (let i = 0; ; i++) {
      const id = `${seed}${name}-${i}`;
      const version = await transfer(driver, random, id);
      if (version !== null) tell(`${id} ${version}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, i) => lane(String.fromCharCode(97 + i))));
}

async function double([part = "0", seed = "1"]: readonly string[]): Promise<void> {
  const server = await startS3Double();
  server.fault = badWeather(createRandom(Number(seed)), Number(part));
  tell(server.endpoint);
}

await (task === "bank" ? bank(args) : double(args));
