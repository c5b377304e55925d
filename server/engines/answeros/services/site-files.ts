import { mapPage } from "../../../core/map-page.ts";
import type { Tx } from "../../../core/tx.ts";
import { brands, pageContents, pages, questions } from "../repository.ts";
import { catalogId, writeCatalog } from "../rules/ai-catalog.ts";
import { writeLlms, writeLlmsFull } from "../rules/llms-txt.ts";
import { writeRobots } from "../rules/robots-file.ts";
import type { RobotsPreset } from "../rules/robots-file.ts";
import { ANSWEROS_LIMITS } from "../schema.ts";
import type { Page, PageType } from "../schema.ts";
import type { FileName } from "../schema/files.ts";
import { mainMarkdownOf } from "./page-tasks.ts";

export interface FileWishes {
  readonly site_name?: string | undefined;
  readonly site_url?: string | undefined;
  readonly summary?: string | undefined;
  readonly preset: RobotsPreset;
}

/** Pages listed in a file, and those whose text is included. */
const LISTED_MAX = 500;
const WHOLE_MAX = 60;

const SECTIONS: readonly (readonly [title: string, types: readonly PageType[]])[] = [
  ["Products", ["product", "menu", "catering"]],
  ["Recipes and articles", ["recipe", "article"]],
  ["Questions and answers", ["faq", "qa"]],
  ["Company", ["local_business"]],
  ["Optional", ["other"]],
];

/** The text of a file from the data of the store; null if there is no page to list. */
export async function generateFile(tx: Tx, name: FileName, wishes: FileWishes): Promise<string | null> {
  const listed = await listedPages(tx);
  const siteUrl = wishes.site_url ?? originOf(listed[0]?.url ?? null);
  const catalogUrl = siteUrl === null ? null : new URL("/.well-known/ai-catalog.json", siteUrl).href;
  if (name === "robots") return writeRobots(wishes.preset, catalogUrl);
  if (siteUrl === null || listed.length === 0) return null;
  const own = (await tx.peekAll(brands)).find(({ value }) => value.own)?.value.name;
  const site = {
    name: wishes.site_name ?? own ?? new URL(siteUrl).hostname,
    summary: wishes.summary ?? summaryOf(listed),
  };
  if (name === "ai-catalog.json") return catalogOf(tx, site.name, siteUrl);
  if (name === "llms-full.txt") return fullOf(tx, site, listed);
  return writeLlms({
    ...site,
    sections: SECTIONS.map(([title, types]) => ({
      title,
      links: listed
        .filter((page) => types.includes(page.page_type))
        .map((page) => ({ name: nameOf(page), url: page.url, notes: page.meta?.description ?? null })),
    })),
  });
}

/** What files contain of a page. */
type Listed = Pick<Page, "id" | "entity" | "locale" | "meta" | "page_type"> & { readonly url: string };

/** Indexable pages by type and name: the same pages give the same file. */
async function listedPages(tx: Tx): Promise<Listed[]> {
  const ready = { index: "by", value: "ready", limit: LISTED_MAX };
  const { items } = await mapPage(tx, pages, ready, ({ value }): Listed[] => {
    const { id, entity, locale, meta, page_type, url } = value;
    return url === null || meta?.noindex === true ? [] : [{ id, entity, locale, meta, page_type, url }];
  });
  return items.flat().sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

const nameOf = ({ entity, meta, url }: Listed): string => entity ?? meta?.title ?? url;

const originOf = (url: string | null): string | null => (url === null ? null : new URL(url).origin);

const summaryOf = (listed: readonly Listed[]): string | null =>
  listed.find(({ page_type: type }) => type === "local_business")?.meta?.description ?? null;

async function fullOf(
  tx: Tx,
  site: { readonly name: string; readonly summary: string | null },
  listed: readonly Listed[],
): Promise<string> {
  const whole = [];
  for (const page of listed.slice(0, WHOLE_MAX)) {
    const content = await tx.get(pageContents, page.id);
    if (content === null) continue;
    const text = await mainMarkdownOf(tx, { ...content.value, url: page.url, locale: page.locale });
    whole.push({ title: nameOf(page), url: page.url, text });
  }
  return writeLlmsFull(site, whole, ANSWEROS_LIMITS.fileChars);
}

const QUERIES_MAX = 5;

/** Resources of the store for agents: its llms.txt, with the most important questions as example queries. */
async function catalogOf(tx: Tx, name: string, siteUrl: string): Promise<string> {
  const page = await tx.peekPage(questions, { index: "priority", value: "approved", limit: QUERIES_MAX });
  const queries = page.items.map(({ value }) => value.text);
  const publisher = new URL(siteUrl).hostname;
  const entry = (file: string, displayName: string, type: string) => ({
    identifier: catalogId(publisher, "site", file),
    displayName,
    type,
    url: new URL(`/${file}`, siteUrl).href,
    ...(queries.length < 2 ? {} : { representativeQueries: queries }),
  });
  return writeCatalog([
    entry("llms.txt", `${name}: overview`, "text/markdown"),
    entry("llms-full.txt", `${name}: all pages`, "text/markdown"),
  ]);
}
