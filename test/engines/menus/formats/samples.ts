import { readFileSync } from "node:fs";

import { readDocument, SHAPES, systemOf } from "../../../../server/engines/menus/formats/formats.ts";
import type { Document, Format } from "../../../../server/engines/menus/formats/formats.ts";
import type { Draft } from "../../../../server/engines/menus/formats/draft.ts";
import type { Loss } from "../../../../server/engines/menus/formats/losses.ts";
import type { MenuTree } from "../../../../server/engines/menus/schema/tree.ts";
import { treeOfDraft } from "./draft-tree.ts";

type ImportFormat = Document["format"];

/** Documents written by hand after the published shapes of each system. */
export const sampleOf = (format: Format): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(`./${format}.json`, import.meta.url), "utf8"));

export interface Sample {
  readonly draft: Draft;
  readonly tree: MenuTree;
  readonly losses: readonly Loss[];
  /** Losses as `path: reason`, for reading. */
  readonly told: readonly string[];
}

/** What a document comes to in an empty store whose language is English. */
export function readSample(
  format: ImportFormat,
  data: unknown = sampleOf(systemOf(format)),
  currency = "GBP",
  locationId?: string,
): Sample {
  const document = { format, data: SHAPES[format].parse(data) } as Document;
  const { draft, losses } = readDocument(document, { locale: "en", currency, locationId });
  return {
    draft,
    tree: treeOfDraft(draft, systemOf(format)),
    losses,
    told: losses.map(({ path, reason, count }) => `${path}${count > 1 ? ` x${count}` : ""}: ${reason}`),
  };
}

/** The first of a list with this English title. */
export function byTitle<T extends { readonly title: Readonly<Record<string, string>> }>(
  all: readonly T[],
  title: string,
): T {
  const found = all.find((each) => Object.values(each.title).includes(title));
  if (found === undefined) throw new Error(`Nothing is called ${title}.`);
  return found;
}
