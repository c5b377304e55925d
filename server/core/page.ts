import { createHash } from "node:crypto";

import { html } from "../lib/html.ts";
import type { Html } from "../lib/html.ts";
import { PAGE_STYLE, accentStyle } from "./page-style.ts";
import { raw } from "./reply.ts";
import type { Reply } from "./reply.ts";
import type { Shop } from "./shop.ts";

/** What a store's customers see of it at the top of each page. */
export type ShopFace = Pick<Shop, "name" | "logo_url" | "color" | "website">;

export interface Page {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  /** Language of its words; English when none is named. */
  readonly lang?: string;
  /** Addresses of scripts of this server that add comfort; everything works without them. */
  readonly scripts?: readonly string[];
  /** Address to which the browser goes on at once: a form may lead to no other site. */
  readonly next?: string;
  /** The store in whose name the page is shown, with its logo, name and color; default: none. */
  readonly shop?: ShopFace | null;
  /** Directives of the Content-Security-Policy that differ by kind of page; as a rule, forms lead back here. */
  readonly policy?: string;
  /** Origins of its images, besides the store's logo. */
  readonly images?: readonly string[];
  /** On paper it looks as on the screen: black on white in every color scheme. */
  readonly isPaper?: boolean;
}

/** Of a page that is made to be printed. */
export const PAPER = { isPaper: true, policy: "form-action 'none'" } as const;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64");
const STYLE_HASH = sha256(PAGE_STYLE);

/** A whole page that works without script, loads nothing from elsewhere but the store's logo, cannot be framed, and sends no referrer. */
export function renderPage(page: Page): Reply<never> {
  const { title, body, status = 200, lang = "en", scripts = [], next, shop = null } = page;
  const { policy = "form-action 'self'", isPaper = false, images = [] } = page;
  const accent = shop?.color == null ? "" : accentStyle(shop.color);
  const logo = shop?.logo_url == null ? "" : ` ${new URL(shop.logo_url).origin}`;
  const styles =
    accent === "" ? `'sha256-${STYLE_HASH}'` : `'sha256-${STYLE_HASH}' 'sha256-${sha256(accent)}'`;
  const directives = [
    "default-src 'none'",
    `style-src ${styles}`,
    `img-src ${["data:", ...images].join(" ")}${logo}`,
    policy,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...(scripts.length === 0 ? [] : ["script-src 'self'", "connect-src 'self'"]),
  ];
  return raw(
    "text/html; charset=utf-8",
    html`<!doctype html>
      <html lang="${lang}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="${isPaper ? "light" : "light dark"}" />
          <meta name="robots" content="noindex" />
          ${next === undefined ? null : html`<meta http-equiv="refresh" content="0; url=${next}" />`}
          <title>${title}</title>
          <link rel="icon" href="data:," />
          ${styleElement(PAGE_STYLE)} ${accent === "" ? null : styleElement(accent)}
          ${scripts.map((url) => html`<script type="module" src="${url}"></script>`)}
        </head>
        <body class="${isPaper ? "paper" : "screens"}">
          ${shop === null ? null : shopHeader(shop)} ${body}
        </body>
      </html> `.html,
    {
      status,
      headers: { "Content-Security-Policy": directives.join("; "), "Referrer-Policy": "no-referrer" },
    },
  );
}

// Not written with the template tag: a formatter would indent the text, and its hash would no longer fit.
const styleElement = (style: string): Html => ({ html: `<style>${style}</style>` });

function shopHeader({ name, logo_url: logo, website }: ShopFace): Html | null {
  if (name === null && logo === null) return null;
  const inside = html`${logo === null ? null : html`<img src="${logo}" alt="${name === null ? "Logo" : ""}" />`}
  ${name === null ? null : html`<span>${name}</span>`}`;
  return html`<header>
    ${
      website === null
        ? html`<span class="brand">${inside}</span>`
        : html`<a class="brand" href="${website}" rel="noreferrer">${inside}</a>`
    }
  </header>`;
}
