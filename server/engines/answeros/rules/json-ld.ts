/** One node of JSON-LD and its path. */
export interface Node {
  readonly path: string;
  readonly types: readonly string[];
  readonly value: Readonly<Record<string, unknown>>;
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Every typed object in a JSON-LD document, outermost first; `@graph` and lists are traversed. */
export function nodesOf(value: unknown, path = ""): Node[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => nodesOf(item, `${path}/${index}`));
  if (!isObject(value)) return [];
  const types = typesOf(value);
  const below = Object.entries(value).flatMap(([name, member]) => nodesOf(member, `${path}/${name}`));
  return types.length === 0 ? below : [{ path, types, value }, ...below];
}

/** Maximum nesting of markup, which bounds the recursion. */
const DEPTH_MAX = 64;

/** Whether a parsed document exceeds the maximum nesting. */
export const nestsTooDeep = (value: unknown, left: number = DEPTH_MAX): boolean =>
  typeof value === "object" &&
  value !== null &&
  (left === 0 || Object.values(value).some((member) => nestsTooDeep(member, left - 1)));

export function typesOf(value: Readonly<Record<string, unknown>>): string[] {
  const type = value["@type"];
  const names = Array.isArray(type) ? type : [type];
  return names.flatMap((name) =>
    typeof name === "string" ? [name.replace(/^(https?:\/\/schema\.org\/|schema:)/, "")] : [],
  );
}

/** The values at a path such as `offers/price`, traversing lists, each with its full path. */
export function valuesAt(
  value: unknown,
  path: string,
  at = "",
): { readonly path: string; readonly value: unknown }[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => valuesAt(item, path, `${at}/${index}`));
  if (path === "") return value === undefined || value === null || value === "" ? [] : [{ path: at, value }];
  if (!isObject(value)) return [];
  const [name = "", ...rest] = path.split("/");
  return valuesAt(value[name], rest.join("/"), `${at}/${name}`);
}

/**
 * JSON-LD as the text of a script element: characters that could end the element, open a comment or break a line of
 * the script are
 * escaped, which JSON parses as the same characters.
 */
export const scriptText = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

export const scriptElement = (value: unknown): string =>
  `<script type="application/ld+json">${scriptText(value)}</script>`;
