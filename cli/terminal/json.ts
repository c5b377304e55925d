/** A JSON object of unknown members. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A member of an object, undefined for anything else. */
export const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

/** A member that is a string; empty otherwise. */
export const textOf = (value: unknown, name: string): string => {
  const found = member(value, name);
  return typeof found === "string" ? found : typeof found === "number" ? String(found) : "";
};

export const numberOf = (value: unknown, name: string): number | null => {
  const found = member(value, name);
  return typeof found === "number" ? found : null;
};

/** The objects of a list; other items are skipped. */
export const objectsOf = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter((item) => isObject(item)) : [];
