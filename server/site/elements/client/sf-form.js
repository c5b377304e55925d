import { addressOf, el, keyOf } from "./shared.js";

/** `<sf-form form="…">` with the public id of a form: drawn into the page itself, so that the page's style applies. */
export default class extends HTMLElement {
  connectedCallback() {
    const id = this.getAttribute("form") ?? "";
    if (this.querySelector("[data-storefront-form]") !== null) return;
    const src = addressOf(`/api/public/forms/${encodeURIComponent(id)}/embed.js`);
    const place = el("div", { "data-storefront-form": id.split(".").at(-1) });
    this.replaceChildren(place, el("script", { src, "data-key": keyOf(this) }));
  }
}
