import { html } from "../lib/html.ts";
import type { Page, ShopFace } from "./page.ts";
import { renderPage } from "./page.ts";
import type { Reply } from "./reply.ts";
import type { OpenCtx } from "./route.ts";
import { NEW_SHOP, readShop } from "./shop.ts";
import type { Tx } from "./tx.ts";
import { chooseLocale, wordsIn } from "./words.ts";
import type { Words } from "./words.ts";

/** What a page for a store's customer is made of: the words of the reader's language, and the look of the store. */
export interface Face extends Words {
  readonly page: (page: Page) => Reply<never>;
  /** With the name of the shop that an engine has of its own, and the customer's language where it is known. */
  readonly with: (known: { readonly name?: string; readonly locale?: string | null }) => Face;
}

/** The face of the store in a transaction of its partition, in the language that the browser asks for, else the store's. */
export async function readFace(ctx: Pick<OpenCtx, "header">, tx: Tx): Promise<Face> {
  const shop = (await readShop(tx)) ?? NEW_SHOP;
  return createFace(wordsIn(chooseLocale(ctx.header("accept-language"), shop.locale)), shop);
}

/** The face of a page that belongs to no store that is known. */
export const plainFace = (ctx: Pick<OpenCtx, "header">): Face =>
  createFace(wordsIn(chooseLocale(ctx.header("accept-language"), null)), NEW_SHOP);

const createFace = (words: Words, shop: ShopFace): Face => ({
  ...words,
  page: (page) => renderPage({ lang: words.locale, shop, ...page }),
  with: ({ name = "", locale = null }) =>
    createFace(locale === null ? words : wordsIn(locale), name === "" ? shop : { ...shop, name }),
});

/** Sends the browser to a page of another site, such as that of a payment, and nothing of this one with it. */
export function showLeave(accept: string | undefined, url: string): Reply<never> {
  const { locale, say } = wordsIn(chooseLocale(accept, null));
  return renderPage({
    title: say("leave.go"),
    lang: locale,
    next: url,
    body: html`<main>
      <h1>${say("leave.title")}</h1>
      <p><a href="${url}" rel="noreferrer">${say("leave.go")}</a></p>
    </main>`,
  });
}

/** The face of a store in its own language: of its mails, and of what it prints itself. */
export async function storeFace(tx: Tx): Promise<Face> {
  const shop = (await readShop(tx)) ?? NEW_SHOP;
  return createFace(wordsIn(shop.locale), shop);
}
