import type { Driver } from "unstorage";

import type { CustomDriver } from "./contract.ts";

/** Where a store is, for people: without logins, and the same however often it is asked. */
export function describeStore(config: StoreConfig): string {
  switch (config.driver) {
    case "fs":
      return config.base;
    case "memory":
      return "the memory of this process";
    case "unstorage":
      return `the unstorage driver ${usedBy(config)}${baseOf(config)}`;
    case "custom":
      return `the driver ${customName(config)}`;
    case "redis":
      return `${addressesOf(config)}${config.prefix === undefined ? "" : `, prefix ${config.prefix}`}`;
    case "s3":
      return `${config.bucket}${config.prefix === undefined ? "" : `/${config.prefix}`} at ${endpointOf(config)}`;
  }
}

/** A short name to type before something that cannot be undone: the last part of the folder, host, or bucket. */
export function nameStore(config: StoreConfig): string {
  switch (config.driver) {
    case "fs":
      return config.base.split(/[/\\]/).findLast((part) => part !== "") ?? "data";
    case "memory":
      return "memory";
    case "unstorage":
      return usedBy(config);
    case "custom":
      return customName(config);
    case "redis":
      return new URL(config.url ?? config.nodes?.[0] ?? "redis://redis").hostname;
    case "s3":
      return config.bucket;
  }
}

/** Where rate limits are counted, and what follows from it. */
export function describeLimits({ driver }: StoreConfig, limitsUrl: string | undefined): string {
  if (driver === "redis") return "in the same Redis, exact across all nodes";
  if (driver === "custom") return "by the driver";
  if (driver === "s3" && limitsUrl !== undefined)
    return `in Redis ${withoutLogin(limitsUrl)}, exact across all nodes`;
  return driver === "s3" ? "in memory, exact for one node only" : "in memory, exact";
}

/** The service that a bucket is at. */
export const endpointOf = ({ endpoint, region }: S3Config): string =>
  endpoint ?? `https://s3.${region}.amazonaws.com`;

const addressesOf = ({ url, nodes }: RedisConfig): string =>
  url === undefined ? `cluster ${(nodes ?? []).map(withoutLogin).join(" ")}` : withoutLogin(url);

function withoutLogin(address: string): string {
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname === "/" ? "" : pathname}`;
}

/** One address, or some nodes of a Redis Cluster with the login that they share. */
export interface RedisConfig {
  readonly driver: "redis";
  readonly url?: string | undefined;
  readonly nodes?: readonly string[] | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly prefix?: string | undefined;
  readonly allowVolatile?: boolean | undefined;
}

export interface S3Config {
  readonly driver: "s3";
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly bucket: string;
  readonly prefix?: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Any driver of unstorage, by its name or itself. */
export interface UnstorageConfig {
  readonly driver: "unstorage";
  readonly use: string | Driver;
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

/** A driver that is neither of the platform nor of unstorage. */
export interface CustomConfig {
  readonly driver: "custom";
  readonly use: CustomDriver;
}

const customName = ({ use }: CustomConfig): string =>
  use.name === undefined || use.name === "" || use.name === "driver" ? "custom" : use.name;

const usedBy = ({ use }: UnstorageConfig): string => (typeof use === "string" ? use : (use.name ?? "custom"));

/** Most drivers call the folder or the prefix of their keys `base`. */
const baseOf = ({ options }: UnstorageConfig): string =>
  typeof options?.["base"] === "string" ? `, base ${options["base"]}` : "";

/** Which store to open: `storage` of the configuration. */
export type StoreConfig =
  | { readonly driver: "fs"; readonly base: string; readonly salvage?: boolean }
  | RedisConfig
  | S3Config
  | UnstorageConfig
  | CustomConfig
  | { readonly driver: "memory" };
