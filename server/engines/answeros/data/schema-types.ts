import names from "./schema-types.json" with { type: "json" };

/**
 * Classes of schema.org, as listed by schema-dts 2.1.0 (Apache-2.0, npm, retrieved 2026-11-21): a type that is not among
 * them is an error in the markup. Names only: required properties are in `markup-rules.ts`.
 */
export const SCHEMA_TYPES: ReadonlySet<string> = new Set(names);
