import { z } from "zod";

import { LiveMenu } from "../../../engines/menus/schema/live.ts";
import { escapeHtml, html } from "../../../lib/html.ts";
import type { Html } from "../../../lib/html.ts";
import { showInstant, showMoney } from "../../../lib/show.ts";
import { menuView } from "../../elements/client/menu-view.js";
import type { Child } from "../../elements/client/menu-view.js";
import type { Drawing } from "./drawing.ts";
import { picker } from "./picker.ts";

const Listed = z.object({ id: z.string(), title: z.record(z.string(), z.string()) });

/** The live menu with its availability, prices and allergens, drawn by the code of `<sf-menu>`. */
export const MENU: Drawing = {
  path: "menu",
  title: "Menu",
  async draw(reader, asked) {
    const menus = await reader.list("menus.menus.list", Listed, { status: "published" });
    const chosen = menus.find(({ id }) => id === asked["menu"]) ?? menus[0];
    if (chosen === undefined) {
      return html`<p role="status">
        This store has no published menu. Its guests see one as soon as a menu is published.
      </p>`;
    }
    const { locale } = reader;
    const live = await reader.read("menus.menus.live", LiveMenu, {
      params: { id: chosen.id },
      query: { locale },
    });
    const options = menus.map((menu) => ({ value: menu.id, label: titleIn(menu.title, locale) }));
    return html`<p class="soft">
        As a guest sees it at ${showInstant(live.at, live.time_zone, locale)} (${live.time_zone}).
      </p>
      ${picker({ name: "menu", label: "Menu", options, chosen: chosen.id })}
      <section class="guest" lang="${locale}">
        <h2>${live.title}</h2>
        ${live.description !== null && html`<p>${live.description}</p>`}
        ${menuView(live, locale, { el, money: showMoney })}
      </section>`;
  },
};

/** A text in the language of the store, else in any. */
const titleIn = (texts: Readonly<Record<string, string>>, locale: string): string =>
  texts[locale] ?? texts[locale.split("-", 1)[0] ?? ""] ?? Object.values(texts)[0] ?? "";

/** An element as HTML: what `el` of the elements is in a browser. */
function el(
  tag: string,
  attributes: Readonly<Record<string, string | null>>,
  ...children: readonly Child<Html>[]
): Html {
  const set = Object.entries(attributes).flatMap(([name, value]) =>
    value === null ? [] : [` ${name}="${escapeHtml(value)}"`],
  );
  return { html: `<${tag}${set.join("")}>${children.map(textOf).join("")}</${tag}>` };
}

function textOf(child: Child<Html>): string {
  if (child === null) return "";
  if (typeof child === "string") return escapeHtml(child);
  return "html" in child ? child.html : child.map(textOf).join("");
}
