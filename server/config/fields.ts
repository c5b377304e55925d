import { readFileSync } from "node:fs";
import { join } from "node:path";

import { z } from "zod";

import { findBuilt } from "../core/package-root.ts";
import { ConfigSchema } from "./schema.ts";
import { isRecord } from "./tree.ts";

/** One setting, as the schema describes it. */
export interface Field {
  /** `server.port`; settings inside a list are written `plans[].id`. */
  readonly path: string;
  readonly description: string;
  /** What may be written, for people: `integer 0–65535`, `fs | memory`. */
  readonly type: string;
  /** Absent where nothing is the default. */
  readonly defaultValue?: unknown;
  readonly env: string | undefined;
  /** A second, weaker environment variable that hosting platforms set (`PORT`, `REDIS_URL`). */
  readonly envAlias: string | undefined;
  /** The storage drivers that have this setting; empty for what belongs to no driver. */
  readonly drivers: readonly string[];
  readonly isSecret: boolean;
  /** True for a file or folder name. */
  readonly isPath: boolean;
  /** What a text from the environment may be turned into. */
  readonly accepts: readonly string[];
}

type Schema = z.core.JSONSchema.JSONSchema;

/** The list of all settings in the folder that the build makes. */
export const FIELDS_FILE = "config-fields.json";

/** All settings in the order of the schema, each once. */
export const configFields = (): readonly Field[] => (fields ??= readBuilt() ?? listFields());

/** Reads them from the schema, which takes longer than all else that a configuration needs. */
export const listFields = (): readonly Field[] => mergeAlternatives(collect(inputSchema(), "", undefined));

function readBuilt(): readonly Field[] | null {
  const built = findBuilt();
  return built === null ? null : (JSON.parse(readFileSync(join(built, FIELDS_FILE), "utf8")) as Field[]);
}

/** JSON schema of the configuration file, for editors: `{ "$schema": "…" }` and secrets are part of it. */
export function configJsonSchema(): Schema {
  const schema = z.toJSONSchema(ConfigSchema, {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema, path }) => {
      for (const name of ["env", "envAlias", "path", "secret"]) delete jsonSchema[name];
      if (isFreeText(jsonSchema) && !path.includes("items")) allowSecret(jsonSchema);
    },
  });
  return { ...schema, properties: { $schema: { type: "string" }, ...schema.properties } };
}

let fields: readonly Field[] | undefined;

function inputSchema(): Schema {
  return z.toJSONSchema(ConfigSchema, { io: "input", unrepresentable: "any" });
}

function collect(schema: Schema, path: string, inherited: unknown, driver?: string): Field[] {
  const defaultValue = schema.default ?? inherited;
  const own = schema.description === undefined ? [] : [toField(schema, path, defaultValue, driver)];
  const variants = [schema, ...alternatives(schema)];
  const items = asSchema(schema.items);
  const nested = variants.flatMap((variant) =>
    Object.entries(variant.properties ?? {}).flatMap(([name, child]) => {
      const childPath = path === "" ? name : `${path}.${name}`;
      return collect(
        asSchema(child) ?? {},
        childPath,
        memberOf(defaultValue, name),
        driverOf(variant) ?? driver,
      );
    }),
  );
  return [...own, ...nested, ...(items === null ? [] : collect(items, `${path}[]`, undefined, driver))];
}

/** The driver whose settings these are, for one alternative of `storage`. */
function driverOf({ properties }: Schema): string | undefined {
  const name = asSchema(properties?.driver)?.const;
  return typeof name === "string" ? name : undefined;
}

function toField(schema: Schema, path: string, defaultValue: unknown, driver: string | undefined): Field {
  const { env, envAlias } = schema;
  return {
    path,
    description: schema.description ?? "",
    type: typeText(schema),
    ...(defaultValue === undefined ? {} : { defaultValue }),
    env: typeof env === "string" ? env : undefined,
    envAlias: typeof envAlias === "string" ? envAlias : undefined,
    drivers: driver === undefined ? [] : [driver],
    isSecret: schema.secret === true,
    isPath: schema.path === true,
    accepts: [schema, ...alternatives(schema)].flatMap((variant) => variant.type ?? []),
  };
}

/** `storage.driver` occurs once per driver: one field, whose type lists them all. */
function mergeAlternatives(all: readonly Field[]): Field[] {
  const byPath = new Map<string, Field>();
  for (const field of all) {
    const before = byPath.get(field.path);
    byPath.set(field.path, before === undefined ? field : merge(before, field));
  }
  return [...byPath.values()];
}

const merge = (before: Field, field: Field): Field => ({
  ...before,
  type: before.type === field.type ? before.type : `${before.type} | ${field.type}`,
  drivers: [...before.drivers, ...field.drivers],
});

function typeText(schema: Schema): string {
  const variants = alternatives(schema);
  if (variants.length > 0) return variants.map(typeText).join(" | ");
  if (schema.const !== undefined) return String(schema.const);
  if (schema.enum !== undefined) return schema.enum.join(" | ");
  if (schema.type === "integer") return `integer ${schema.minimum}–${schema.maximum}`;
  if (schema.type === "array")
    return `list of ${asSchema(schema.items)?.type === "object" ? "objects" : "texts"}`;
  if (schema.type === "object") return `{ ${Object.keys(schema.properties ?? {}).join(", ")} }`;
  return schema.type === "string" ? "text" : String(schema.type);
}

function alternatives(schema: Schema): Schema[] {
  return [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
    .map(asSchema)
    .filter((variant) => variant !== null);
}

function asSchema(value: Schema["items"]): Schema | null {
  return typeof value === "object" && !Array.isArray(value) ? value : null;
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function isFreeText(schema: Schema): boolean {
  return schema.type === "string" && schema.const === undefined && schema.enum === undefined;
}

function allowSecret(schema: Schema): void {
  const constraints = Object.entries(schema).filter(([name]) => name !== "description" && name !== "default");
  for (const [name] of constraints) delete schema[name];
  schema.anyOf = [
    Object.fromEntries(constraints),
    {
      type: "object",
      properties: { $secret: { type: "string" } },
      required: ["$secret"],
      additionalProperties: false,
    },
  ];
}
