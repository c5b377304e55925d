import { z } from "zod";

import type { Random } from "../../core/ids.ts";
import { StoreError } from "../contract.ts";
import type { StoreIdentity } from "../contract.ts";
import type { EtagForm, Objects } from "./objects.ts";
import { probeServer } from "./probe.ts";

/** Number of the format of the objects and of the heads. */
const FORMAT = 1;
const PROBES = 3;
export const FORMAT_KEY = "format.json";

/** Room for the longest key of a document in the 1024 bytes that S3 gives a name. */
const PREFIX_MAX = 512;

/**
 * Where the objects are, of what the configuration says. Throws StoreError INVALID for names that an address would not
 * carry as they are: `..` in one would lead to another bucket.
 */
export function placeOf({ endpoint, region, bucket, prefix = "" }: Place): {
  endpoint: string;
  prefix: string;
} {
  const address = endpoint ?? `https://s3.${region}.amazonaws.com`;
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new StoreError("INVALID", `invalid endpoint ${address}: expected https://host[:port]`);
  const trimmed = prefix.replace(/^\/+|\/+$/g, "");
  const names = trimmed === "" ? [] : trimmed.split("/");
  if (
    trimmed.length > PREFIX_MAX ||
    !names.every((name) => /^[A-Za-z0-9_.~@-]+$/.test(name) && !/^\.\.?$/.test(name))
  )
    throw new StoreError(
      "INVALID",
      `invalid prefix ${prefix}: expected names of A-Z a-z 0-9 _ . ~ @ - separated by slashes`,
    );
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(bucket))
    throw new StoreError("INVALID", `invalid bucket name: ${bucket}`);
  return { endpoint: address.replace(/\/+$/, ""), prefix: trimmed };
}

interface Place {
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly bucket: string;
  readonly prefix?: string | undefined;
}

/**
 * Makes sure that there is a bucket which these credentials may use, that its server keeps the promises commits rest on,
 * and that the store in it has a format that this version reads. What is wrong is INVALID, with what to do about it.
 */
export async function startServer(
  objects: Objects,
  random: Pick<Random, "bytes">,
  setForm: (form: EtagForm) => void,
): Promise<void> {
  try {
    const found = await objects.readText(FORMAT_KEY);
    if (found.found === "text") assertFormat(found.text);
    await probeRepeatedly(objects, random, setForm);
    if (found.found === "none" || (found.found === "text" && identityOf(found.text).id === null)) {
      const id = Buffer.from(random.bytes(12)).toString("hex");
      const etag = found.found === "text" ? found.etag : null;
      await objects.writeText(FORMAT_KEY, formatText({ id, adopted: false }), { etag });
    }
  } catch (error) {
    // What a server would refuse again is a mistake of the configuration at this moment, and a fault at any later one.
    if (error instanceof StoreError && error.code === "UNAVAILABLE" && !error.retryable)
      throw new StoreError("INVALID", error.message, { cause: error });
    throw error;
  }
}

/** A lost answer in the midst of a probe looks like a broken promise; one that is broken is broken every time. */
async function probeRepeatedly(
  objects: Objects,
  random: Pick<Random, "bytes">,
  setForm: (form: EtagForm) => void,
): Promise<EtagForm> {
  for (let tries = PROBES; ; tries--) {
    try {
      return await probeServer(objects, `probe/${Buffer.from(random.bytes(12)).toString("hex")}`, setForm);
    } catch (error) {
      if (tries === 1 || !(error instanceof StoreError) || error.code !== "INVALID") throw error;
    }
  }
}

/** Which store is below the prefix now; `id` is null where there is none. */
export async function readIdentity(objects: Objects): Promise<StoreIdentity> {
  const found = await objects.readText(FORMAT_KEY);
  return found.found === "text" ? identityOf(found.text) : { id: null, adopted: false };
}

export async function adoptBucket(objects: Objects): Promise<void> {
  const found = await objects.readText(FORMAT_KEY);
  if (found.found !== "text") throw new StoreError("CORRUPT", `${FORMAT_KEY} is missing`);
  const text = formatText({ ...identityOf(found.text), adopted: true });
  if ((await objects.writeText(FORMAT_KEY, text, { etag: found.etag })) === null)
    throw new StoreError("UNAVAILABLE", `${FORMAT_KEY} was changed meanwhile`);
}

const formatText = ({ id, adopted }: StoreIdentity): string =>
  `${JSON.stringify({ format: FORMAT, id, adopted })}\n`;

function identityOf(text: string): StoreIdentity {
  const { id = null, adopted = false } = parseFormat(text);
  return { id, adopted };
}

const schema = z.object({ format: z.int(), id: z.string().optional(), adopted: z.boolean().optional() });

function parseFormat(text: string): z.infer<typeof schema> {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new StoreError("CORRUPT", `${FORMAT_KEY} is unreadable`);
  }
}

function assertFormat(text: string): void {
  const { format } = parseFormat(text);
  if (format !== FORMAT) {
    throw new StoreError(
      "INVALID",
      `the store has format ${format}, but this version reads format ${FORMAT} only`,
    );
  }
}
