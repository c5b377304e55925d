import { menuView } from "./menu-view.js";
import { call, el, money, StorefrontElement } from "./shared.js";

/** `<sf-menu menu="mnu_…" channel="delivery">`: what is served now, with prices, availability, allergens and energy. */
export default class extends StorefrontElement {
  static observedAttributes = ["menu", "channel", "hide-unavailable"];

  async draw() {
    const query = new URLSearchParams({ locale: this.language });
    if (this.hasAttribute("channel")) query.set("channel", this.getAttribute("channel"));
    if (this.hasAttribute("hide-unavailable")) query.set("hide", "unavailable");
    const path = `/v1/menus/${encodeURIComponent(this.getAttribute("menu") ?? "")}/live?${query}`;
    return menuView(await call(this, "GET", path), this.language, { el, money });
  }
}
