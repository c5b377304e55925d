import { call, el, money, StorefrontElement, wordsIn } from "./shared.js";

const WORDS = {
  en: {
    from: "from",
    contains: "Contains",
    may: "May contain",
    ask: "Ask us about allergens",
    off: "Not available",
    until: "again from",
    closed: "The menu is not served at the moment.",
  },
  de: {
    from: "ab",
    contains: "Enthält",
    may: "Kann enthalten",
    ask: "Fragen Sie uns nach Allergenen",
    off: "Nicht verfügbar",
    until: "wieder ab",
    closed: "Die Karte wird gerade nicht angeboten.",
  },
  fr: {
    from: "dès",
    contains: "Contient",
    may: "Peut contenir",
    ask: "Interrogez-nous sur les allergènes",
    off: "Indisponible",
    until: "de nouveau à partir de",
    closed: "La carte n’est pas servie en ce moment.",
  },
};

/** `<sf-menu menu="mnu_…" channel="delivery">`: what is served now, with prices, availability, allergens and energy. */
export default class extends StorefrontElement {
  static observedAttributes = ["menu", "channel", "hide-unavailable"];

  async draw() {
    const query = new URLSearchParams({ locale: this.language });
    if (this.hasAttribute("channel")) query.set("channel", this.getAttribute("channel"));
    if (this.hasAttribute("hide-unavailable")) query.set("hide", "unavailable");
    const path = `/v1/menus/${encodeURIComponent(this.getAttribute("menu") ?? "")}/live?${query}`;
    const menu = await call(this, "GET", path);
    const words = wordsIn(this.language, WORDS);
    return [
      menu.available ? null : el("p", { role: "status" }, words.closed),
      ...menu.categories.map((category) => this.#category(category, menu, words)),
      menu.statement === null ? null : el("p", { class: "soft" }, menu.statement),
    ].filter((node) => node !== null);
  }

  #category({ title, description, items, categories }, menu, words) {
    return el(
      "section",
      {},
      el("h3", {}, title),
      description === null ? null : el("p", { class: "soft" }, description),
      el(
        "ul",
        {},
        items.map((item) => this.#item(item, menu, words)),
      ),
      categories.map((inner) => this.#category(inner, menu, words)),
    );
  }

  #item(item, { currency }, words) {
    const soft = [item.portion_text, item.kcal_text].filter((text) => text !== null).join(" · ");
    return el(
      "li",
      { part: "item" },
      el(
        "p",
        { class: "row" },
        el("strong", { class: item.available ? null : "off" }, item.title),
        el(
          "span",
          {},
          priceText(item, (amount) => money(amount, currency, this.language), words),
        ),
      ),
      item.description === null ? null : el("p", {}, item.description),
      soft === "" ? null : el("p", { class: "soft" }, soft),
      el("p", { class: "soft" }, allergenText(item, words)),
      item.available ? null : el("p", { class: "soft" }, this.#reason(item, words)),
    );
  }

  #reason({ next_change_at: at }, words) {
    if (at === null) return words.off;
    const time = new Intl.DateTimeFormat(this.language, { dateStyle: "medium", timeStyle: "short" });
    return `${words.off}, ${words.until} ${time.format(new Date(at))}`;
  }
}

/** Sizes have prices of their own: the lowest of them is shown. */
function priceText({ price, variations }, format, { from }) {
  if (variations.length === 0) return format(price);
  return `${from} ${format(Math.min(...variations.map((each) => each.price)))}`;
}

/** Without a verified product nothing can be said to be absent. */
function allergenText({ allergens, may_contain: may, allergen_status: status }, words) {
  const named = [
    allergens.length > 0 ? `${words.contains}: ${allergens.map(nameOf).join(", ")}.` : "",
    may.length > 0 ? `${words.may}: ${may.map(nameOf).join(", ")}.` : "",
    status === "unknown" ? `${words.ask}.` : "",
  ];
  return named.filter((text) => text !== "").join(" ");
}

const nameOf = (allergen) => (typeof allergen === "string" ? allergen.replaceAll("_", " ") : allergen.name);
