import { z } from "zod";

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

export const REDIS_ADDRESS = "an address such as redis://user:pass@host:6379/0";

function driver<Name extends string>(name: Name) {
  return z.literal(name).meta({
    env: "PLATFORM_STORAGE_DRIVER",
    description: "Where data is kept. `memory` forgets it at the end.",
  });
}

const Fs = z.strictObject({
  driver: driver("fs"),
  base: text("expected a folder name")
    .default("./data")
    .meta({ env: "PLATFORM_STORAGE_BASE", path: true, description: "Folder of the data." }),
});

const Redis = z
  .strictObject({
    driver: driver("redis"),
    url: textLike(REDIS_ADDRESS, isRedisUrl).optional().meta({
      env: "PLATFORM_STORAGE_URL",
      envAlias: "REDIS_URL",
      secret: true,
      description: "Address of the Redis; `rediss://` is TLS.",
    }),
    nodes: listOf(textLike("an address such as redis://host:6379, without a login", isNode))
      .min(1, { error: "expected at least one address" })
      .optional()
      .meta({
        env: "PLATFORM_STORAGE_NODES",
        description: "Addresses of some nodes of a Redis Cluster, instead of `url`.",
      }),
    username: text().optional().meta({
      env: "PLATFORM_STORAGE_USERNAME",
      description: "Login to all `nodes`; with `url` it is part of that.",
    }),
    password: text().optional().meta({
      env: "PLATFORM_STORAGE_PASSWORD",
      secret: true,
      description: "Login to all `nodes`; with `url` it is part of that.",
    }),
    prefix: prefix(
      "letters, digits and :._- (at most 64)",
      /^[A-Za-z0-9:._-]{1,64}$/,
      'What every name in it begins with. Default: "platform:" on Redis, none on S3.',
    ),
    allowVolatile: flag().optional().meta({
      env: "PLATFORM_STORAGE_ALLOW_VOLATILE",
      description: "Accept a Redis without append-only file, or one that evicts. Default: false.",
    }),
  })
  .superRefine(({ url, nodes, username, password }, ctx) => {
    const say = (name: string, message: string): void =>
      ctx.addIssue({ code: "custom", message, path: [name] });
    if (url === undefined && nodes === undefined)
      say("url", "set url (PLATFORM_STORAGE_URL), or nodes of a Redis Cluster");
    if (url !== undefined && nodes !== undefined) say("nodes", "set either url or nodes");
    if (nodes !== undefined) return;
    if (username !== undefined) say("username", "belongs into url: redis://user:password@host");
    if (password !== undefined) say("password", "belongs into url: redis://user:password@host");
  });

const S3 = z.strictObject({
  driver: driver("s3"),
  endpoint: textLike("an address such as https://s3.eu-central-1.amazonaws.com", isBaseUrl).optional().meta({
    env: "PLATFORM_STORAGE_ENDPOINT",
    envAlias: "AWS_ENDPOINT_URL_S3",
    description: "Address of the S3 service. Default: that of AWS in the region.",
  }),
  region: textLike("a region such as eu-central-1", (region) => /^[a-z0-9-]{1,64}$/.test(region))
    .default("us-east-1")
    .meta({ env: "PLATFORM_STORAGE_REGION", envAlias: "AWS_REGION", description: "Region of the bucket." }),
  bucket: textLike("the name of a bucket", (name) => /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)).meta({
    env: "PLATFORM_STORAGE_BUCKET",
    description: "Bucket of the data.",
  }),
  prefix: prefix(
    "letters, digits and /._- (at most 64)",
    /^[A-Za-z0-9._-][A-Za-z0-9/._-]{0,63}$/,
    'What every name in it begins with. Default: "platform:" on Redis, none on S3.',
  ),
  accessKeyId: text("expected the id of an access key (or AWS_ACCESS_KEY_ID)").meta({
    env: "PLATFORM_STORAGE_ACCESS_KEY_ID",
    envAlias: "AWS_ACCESS_KEY_ID",
    secret: true,
    description: "Who signs requests to S3.",
  }),
  secretAccessKey: text("expected the secret of an access key (or AWS_SECRET_ACCESS_KEY)").meta({
    env: "PLATFORM_STORAGE_SECRET_ACCESS_KEY",
    envAlias: "AWS_SECRET_ACCESS_KEY",
    secret: true,
    description: "What they are signed with.",
  }),
  sessionToken: text().optional().meta({
    env: "PLATFORM_STORAGE_SESSION_TOKEN",
    envAlias: "AWS_SESSION_TOKEN",
    secret: true,
    description: "With keys that were lent for a time.",
  }),
});

function prefix(expected: string, allowed: RegExp, description: string) {
  return textLike(expected, (value) => allowed.test(value))
    .optional()
    .meta({ env: "PLATFORM_STORAGE_PREFIX", description });
}

/** A further driver is one more line here; messages, JSON schema and documentation follow. */
export const Storage = z
  .discriminatedUnion("driver", [Fs, Redis, S3, z.strictObject({ driver: driver("memory") })])
  .prefault({ driver: "fs" });
