/*
 * The elements of a storefront: <sf-menu>, <sf-allergens>, <sf-delivery>, <sf-reviews>, <sf-form>, <sf-tier>. A page loads this
 * file once, with its publishable key: <script type="module" src="…/elements.js?key=plat_pub_…">. Each element is loaded when
 * the page first contains it.
 */
import { configure } from "./elements/shared.js";

const NAMES = ["sf-menu", "sf-allergens", "sf-delivery", "sf-reviews", "sf-form", "sf-tier"];

configure(new URL(import.meta.url));

function load() {
  for (const name of NAMES) {
    if (customElements.get(name) !== undefined || document.querySelector(name) === null) continue;
    import(`./elements/${name}.js`).then(({ default: Element }) => {
      if (customElements.get(name) === undefined) customElements.define(name, Element);
    }, console.error);
  }
}

load();
new MutationObserver(load).observe(document.documentElement, { childList: true, subtree: true });
