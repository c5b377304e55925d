import type { Clock } from "../../core/clock.ts";
import type { Random } from "../../core/ids.ts";
import { StoreError } from "../contract.ts";
import { createS3Client } from "./client.ts";
import type { S3Account, S3Client } from "./client.ts";
import { createObjects } from "./objects.ts";
import type { Listed } from "./objects.ts";
import { refusalOf } from "./refusal.ts";
import { placeOf } from "./start.ts";
import { createTransport } from "./transport.ts";
import { childText, parseXml } from "./xml.ts";

/** Files of any size below one prefix of a bucket. A file is there as a whole or not at all. */
export interface S3Files {
  list(): Promise<Pick<Listed, "key" | "bytes">[]>;
  /** Replaces the file of this name. Keeps at most a part of it in memory. */
  write(name: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Throws StoreError INVALID where there is no such file, and UNAVAILABLE where it is replaced while it is read. */
  read(name: string): AsyncGenerator<Uint8Array, void, undefined>;
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

export interface S3FilesOptions extends Omit<S3Account, "endpoint"> {
  /** Default: that of AWS in the region. */
  readonly endpoint?: string | undefined;
  readonly prefix?: string | undefined;
  readonly wallClock: Clock;
  readonly random: Random;
  /** At least 5 MiB on AWS. A file has 10,000 parts at most. */
  readonly partBytes?: number;
}

const PART_BYTES = 8_388_608;
/** A GET of so much is repeated when its connection breaks. */
const READ_BYTES = 1_048_576;
const CONNECTIONS = 2;
/** A server may take minutes to join the parts. */
const TIMEOUT_MS = 120_000;

export function openS3Files(options: S3FilesOptions): S3Files {
  const { partBytes = PART_BYTES } = options;
  const { endpoint, prefix } = placeOf(options);
  const transport = createTransport(CONNECTIONS);
  const client = createS3Client({ ...options, endpoint, transport, timeoutMs: TIMEOUT_MS });
  const objects = createObjects(client, prefix, () => "quoted");
  const keyOf = (name: string): string => (prefix === "" ? name : `${prefix}/${name}`);

  async function list(names = ""): Promise<Listed[]> {
    const found: Listed[] = [];
    let token: string | undefined;
    do {
      const listing = await objects.list({ prefix: names, token });
      found.push(...listing.entries);
      token = listing.token;
    } while (token !== undefined);
    return found;
  }

  return {
    list: () => list(),
    write: (name, chunks) => write(client, { key: keyOf(name), partBytes }, chunks),
    async *read(name) {
      const file = (await list(name)).find(({ key }) => key === name);
      if (file === undefined) throw new StoreError("INVALID", `${name} does not exist`);
      yield* read(client, keyOf(name), file);
    },
    remove: (name) => objects.remove(name),
    close: () => transport.close(),
  };
}

async function* read(
  client: S3Client,
  key: string,
  { bytes, etag }: Listed,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let start = 0; start < bytes; start += READ_BYTES) {
    const range = `bytes=${start}-${Math.min(start + READ_BYTES, bytes) - 1}`;
    const answer = await client.send({ method: "GET", key, headers: { range } });
    if (answer.status !== 206 || answer.etag !== etag)
      throw new StoreError("UNAVAILABLE", `${key} was removed or replaced while it was read`);
    yield answer.bytes;
  }
}

interface Place {
  readonly key: string;
  readonly partBytes: number;
}

/** One PUT for what fits a part; parts that are joined at the end for what does not. */
async function write(
  client: S3Client,
  { key, partBytes }: Place,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  let upload: Upload | null = null;
  let held: Uint8Array | null = null;
  try {
    for await (const part of cut(chunks, partBytes)) {
      if (held !== null) {
        upload ??= await createUpload(client, key);
        await upload.add(held);
      }
      held = part;
    }
    const last = held ?? new Uint8Array();
    if (upload === null) {
      await client.send({ method: "PUT", key, body: last });
      return;
    }
    await upload.add(last);
    await upload.complete();
  } catch (error) {
    await upload?.abort().catch(() => undefined);
    throw error;
  }
}

/** The same bytes in pieces of one size, but for the last. */
async function* cut(chunks: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    held.push(chunk);
    length += chunk.length;
    if (length < size) continue;
    const all = Buffer.concat(held);
    let start = 0;
    for (; length - start >= size; start += size) yield all.subarray(start, start + size);
    held = [all.subarray(start)];
    length -= start;
  }
  if (length > 0) yield Buffer.concat(held);
}

interface Upload {
  add(part: Uint8Array): Promise<void>;
  complete(): Promise<void>;
  /** Frees what was sent. */
  abort(): Promise<void>;
}

async function createUpload(client: S3Client, key: string): Promise<Upload> {
  const begun = await client.send({ method: "POST", key, query: { uploads: "" }, body: "" });
  const uploadId = childText(parseXml(begun.body), "UploadId");
  const etags: string[] = [];
  return {
    async add(part) {
      const partNumber = String(etags.length + 1);
      const sent = await client.send({ method: "PUT", key, query: { partNumber, uploadId }, body: part });
      etags.push(sent.etag);
    },
    async complete() {
      const parts = etags.map(
        (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>"${etag}"</ETag></Part>`,
      );
      const body = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
      const answer = await client.send({ method: "POST", key, query: { uploadId }, body });
      // The status is sent before the parts are joined, so the body may report an error.
      if (parseXml(answer.body).name !== "CompleteMultipartUploadResult") throw refusalOf(answer).error;
    },
    async abort() {
      await client.send({ method: "DELETE", key, query: { uploadId } });
    },
  };
}
