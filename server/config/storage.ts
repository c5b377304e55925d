import type { Driver } from "unstorage";
import { z } from "zod";

import { isStoreDriver } from "../storage/contract.ts";
import type { CustomDriver } from "../storage/contract.ts";
import { isUnstorageDriver } from "./files.ts";
import { flag, isBaseUrl, listOf, text, textLike } from "./values.ts";

/** True for the address of a Redis: scheme, host, maybe a login, a port and the number of a database; nothing else. */
export function isRedisUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(value);
  const isPlain = search === "" && hash === "" && /^\/?\d{0,5}$/.test(pathname);
  return /^rediss?:$/.test(protocol) && hostname !== "" && isPlain;
}

function isNode(value: string): boolean {
  if (!isRedisUrl(value)) return false;
  const { username, password, pathname } = new URL(value);
  return username === "" && password === "" && /^\/?$/.test(pathname);
}

export const REDIS_ADDRESS = "a URL such as redis://user:pass@host:6379/0";

function driver<Name extends string>(name: Name) {
  return z.literal(name).meta({
    env: "PLATFORM_STORAGE_DRIVER",
    description: "Where data is stored. `memory` discards it when the process exits.",
  });
}

const Fs = z.strictObject({
  driver: driver("fs"),
  base: text("expected a folder path")
    .default("./data")
    .meta({ env: "PLATFORM_STORAGE_BASE", path: true, description: "Data folder." }),
});

const Redis = z
  .strictObject({
    driver: driver("redis"),
    url: textLike(REDIS_ADDRESS, isRedisUrl).optional().meta({
      env: "PLATFORM_STORAGE_URL",
      envAlias: "REDIS_URL",
      secret: true,
      description: "URL of the Redis server; `rediss://` uses TLS.",
    }),
    nodes: listOf(textLike("a URL such as redis://host:6379, without credentials", isNode))
      .min(1, { error: "expected at least one URL" })
      .optional()
      .meta({
        env: "PLATFORM_STORAGE_NODES",
        description: "URLs of some nodes of a Redis Cluster, instead of `url`.",
      }),
    username: text().optional().meta({
      env: "PLATFORM_STORAGE_USERNAME",
      description: "Credentials for all `nodes`; with `url` they are part of the URL.",
    }),
    password: text().optional().meta({
      env: "PLATFORM_STORAGE_PASSWORD",
      secret: true,
      description: "Credentials for all `nodes`; with `url` they are part of the URL.",
    }),
    prefix: prefix(
      "letters, digits and :._- (at most 64)",
      /^[A-Za-z0-9:._-]{1,64}$/,
      'Prefix of every key. Default: "platform:" on Redis, none on S3.',
    ),
    allowVolatile: flag().optional().meta({
      env: "PLATFORM_STORAGE_ALLOW_VOLATILE",
      description: "Accept a Redis without an append-only file or with an eviction policy. Default: false.",
    }),
  })
  .superRefine(({ url, nodes, username, password }, ctx) => {
    const say = (name: string, message: string): void =>
      ctx.addIssue({ code: "custom", message, path: [name] });
    if (url === undefined && nodes === undefined)
      say("url", "set url (PLATFORM_STORAGE_URL), or nodes for a Redis Cluster");
    if (url !== undefined && nodes !== undefined) say("nodes", "set either url or nodes, not both");
    if (nodes !== undefined) return;
    if (username !== undefined) say("username", "must be part of url: redis://user:password@host");
    if (password !== undefined) say("password", "must be part of url: redis://user:password@host");
  });

const S3 = z.strictObject({
  driver: driver("s3"),
  endpoint: textLike("a URL such as https://s3.eu-central-1.amazonaws.com", isBaseUrl).optional().meta({
    env: "PLATFORM_STORAGE_ENDPOINT",
    envAlias: "AWS_ENDPOINT_URL_S3",
    description: "Endpoint URL of the S3 service. Default: the AWS endpoint of the region.",
  }),
  region: textLike("a region such as eu-central-1", (region) => /^[a-z0-9-]{1,64}$/.test(region))
    .default("us-east-1")
    .meta({ env: "PLATFORM_STORAGE_REGION", envAlias: "AWS_REGION", description: "Region of the bucket." }),
  bucket: textLike("a bucket name", (name) => /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)).meta({
    env: "PLATFORM_STORAGE_BUCKET",
    description: "Bucket that stores the data.",
  }),
  prefix: prefix(
    "letters, digits and /._- (at most 64)",
    /^[A-Za-z0-9._-][A-Za-z0-9/._-]{0,63}$/,
    'Prefix of every key. Default: "platform:" on Redis, none on S3.',
  ),
  accessKeyId: text("expected an access key id (or AWS_ACCESS_KEY_ID)").meta({
    env: "PLATFORM_STORAGE_ACCESS_KEY_ID",
    envAlias: "AWS_ACCESS_KEY_ID",
    secret: true,
    description: "Access key id for S3.",
  }),
  secretAccessKey: text("expected a secret access key (or AWS_SECRET_ACCESS_KEY)").meta({
    env: "PLATFORM_STORAGE_SECRET_ACCESS_KEY",
    envAlias: "AWS_SECRET_ACCESS_KEY",
    secret: true,
    description: "Secret access key for S3.",
  }),
  sessionToken: text().optional().meta({
    env: "PLATFORM_STORAGE_SESSION_TOKEN",
    envAlias: "AWS_SESSION_TOKEN",
    secret: true,
    description: "Session token, with temporary credentials.",
  }),
});

const Unstorage = z
  .strictObject({
    driver: driver("unstorage"),
    use: z
      .union([text(), z.custom<Driver>(isUnstorageDriver)], {
        error: "expected a name or a driver of unstorage",
      })
      .meta({
        env: "PLATFORM_STORAGE_USE",
        description:
          "Driver of unstorage, for one process: a name such as `mongodb`, a package, or the driver itself.",
      }),
    options: z.record(z.string(), z.unknown()).optional().meta({
      secret: true,
      description: "Options of the driver of unstorage.",
    }),
  })
  .superRefine(({ options, use }, ctx) => {
    // More values than the probe at start writes.
    if (use !== "lru-cache" || options?.["max"] !== undefined) return;
    const message = '"lru-cache" keeps 1,000 values and discards others: set options.max';
    ctx.addIssue({ code: "custom", path: ["use"], message });
  });

const isCustom = (value: unknown): value is CustomDriver =>
  isStoreDriver(value) || (typeof value === "object" && value !== null && "open" in value);

/** Written as `storage: { driver: openMyDriver }`; the configuration is read as if it had a name. */
const Custom = z.strictObject({
  driver: driver("custom"),
  use: z.custom<CustomDriver>(isCustom, {
    error: "expected a StoreDriver, or a function that opens one, as storage.driver",
  }),
});

function prefix(expected: string, allowed: RegExp, description: string) {
  return textLike(expected, (value) => allowed.test(value))
    .optional()
    .meta({ env: "PLATFORM_STORAGE_PREFIX", description });
}

/** A further driver is one more line here; messages, JSON schema and documentation follow. */
export const Storage = z
  .discriminatedUnion("driver", [
    Fs,
    Redis,
    S3,
    Unstorage,
    Custom,
    z.strictObject({ driver: driver("memory") }),
  ])
  .prefault({ driver: "fs" });
