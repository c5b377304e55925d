import type { FileFinding } from "../schema/files.ts";
import { isObject } from "./json-ld.ts";
import { parseJson } from "../../../lib/parse-json.ts";

/** An entry of ai-catalog.json (ARD): a resource that an agent can read or call. */
export interface CatalogEntry {
  readonly identifier: string;
  readonly displayName: string;
  readonly type: string;
  readonly url: string;
  readonly description?: string;
  readonly representativeQueries?: readonly string[];
}

/** `/.well-known/ai-catalog.json`; indented by two spaces for readability. */
export const writeCatalog = (entries: readonly CatalogEntry[]): string =>
  `${JSON.stringify({ specVersion: "1.0", entries }, null, 2)}\n`;

const PART = "[A-Za-z0-9][A-Za-z0-9._-]*";
const IDENTIFIER = new RegExp(`^urn:air:${PART}:${PART}:${PART}$`);

/** `urn:air:<publisher>:<namespace>:<name>`; characters that a URN does not allow become hyphens. */
export const catalogId = (publisher: string, namespace: string, name: string): string =>
  `urn:air:${[publisher, namespace, name]
    .map(
      (part) =>
        part
          .toLowerCase()
          .replaceAll(/[^a-z0-9._-]+/g, "-")
          .replace(/^[^a-z0-9]+/, "") || "x",
    )
    .join(":")}`;

/** Lint by the rules of Lighthouse 13.5 (`ard-schema`); its recommendations are warnings. */
export function lintCatalog(content: string): FileFinding[] {
  const parsed = parseJson(content);
  const error = (code: string, path: string, message: string): FileFinding => ({
    code,
    severity: "error",
    path,
    message,
  });
  if (!isObject(parsed)) return [error("bad_json", "", "Must be a JSON object.")];
  const findings: FileFinding[] = [];
  if (parsed["specVersion"] !== "1.0") findings.push(error("spec_version", "/specVersion", 'Must be "1.0".'));
  if ("collections" in parsed) {
    findings.push(error("collections", "/collections", "Collections are not allowed at the root."));
  }
  const entries = parsed["entries"];
  if (!Array.isArray(entries)) return [...findings, error("entries", "/entries", "Must be a list.")];
  const seen = new Set<unknown>();
  for (const [index, entry] of entries.entries()) {
    const place = `/entries/${index}`;
    findings.push(...entryFaults(entry, place));
    if (!isObject(entry)) continue;
    if (seen.has(entry["identifier"])) {
      findings.push(error("repeated_identifier", `${place}/identifier`, "Duplicate identifier."));
    }
    seen.add(entry["identifier"]);
  }
  return findings;
}

function entryFaults(entry: unknown, place: string): FileFinding[] {
  if (!isObject(entry))
    return [{ code: "entry", severity: "error", path: place, message: "Must be an object." }];
  const isText = (name: string): boolean => typeof entry[name] === "string" && entry[name] !== "";
  const has = (name: string): boolean => entry[name] !== undefined;
  const queries = entry["representativeQueries"];
  const isFew = !Array.isArray(queries) || queries.length < 2 || queries.length > 5;
  const isUrl = !has("url") || (isText("url") && URL.canParse(String(entry["url"])));
  const faults: readonly (readonly [
    is: boolean,
    code: string,
    name: string,
    message: string,
    isWarning?: true,
  ])[] = [
    [
      !IDENTIFIER.test(String(entry["identifier"])),
      "identifier",
      "/identifier",
      "Must be urn:air:<publisher>:<namespace>:<name>.",
    ],
    [!isText("displayName"), "display_name", "/displayName", "Must be text."],
    [!isText("type"), "type", "/type", "Must be text, such as a media type."],
    [has("url") === has("data"), "url_or_data", "", "Must have either url or data, not both."],
    [!isUrl, "url", "/url", "Must be an absolute URL."],
    [isFew, "queries", "/representativeQueries", "Two to five queries are recommended.", true],
  ];
  return faults
    .filter(([is]) => is)
    .map(([, code, name, message, isWarning]) => ({
      code,
      severity: isWarning ? "warning" : "error",
      path: place + name,
      message,
    }));
}
