/** What `<sf-menu>` and the operator's console show of a menu: the same words and order in both. */

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

/**
 * The nodes of a live menu. `el` creates an element of tag, attributes and children; `money` writes minor units of a currency in
 * a language.
 */
export function menuView(menu, lang, { el, money }) {
  const words = WORDS[lang.slice(0, 2).toLowerCase()] ?? WORDS.en;
  const time = new Intl.DateTimeFormat(lang, {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: menu.time_zone,
  });
  const soft = (text) => (text === null || text === "" ? null : el("p", { class: "soft" }, text));

  const itemOf = (item) =>
    el(
      "li",
      { part: "item" },
      el(
        "p",
        { class: "row" },
        el("strong", { class: item.available ? null : "off" }, item.title),
        el(
          "span",
          {},
          priceText(item, (amount) => money(amount, menu.currency, lang), words),
        ),
      ),
      item.description === null ? null : el("p", {}, item.description),
      soft([item.portion_text, item.kcal_text].filter((text) => text !== null).join(" · ")),
      soft(allergenText(item, words)),
      item.available ? null : soft(offText(item, words, time)),
    );

  const categoryOf = ({ title, description, items, categories }) =>
    el(
      "section",
      {},
      el("h3", {}, title),
      soft(description),
      el("ul", {}, items.map(itemOf)),
      categories.map(categoryOf),
    );

  return [
    menu.available ? null : el("p", { role: "status" }, words.closed),
    ...menu.categories.map(categoryOf),
    soft(menu.statement),
  ].filter((node) => node !== null);
}

/** Sizes have prices of their own: the lowest of them is shown. */
function priceText({ price, variations }, format, { from }) {
  if (variations.length === 0) return price === null ? "" : format(price);
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

const offText = ({ next_change_at: at }, words, time) =>
  at === null ? words.off : `${words.off}, ${words.until} ${time.format(new Date(at))}`;

const nameOf = (allergen) => (typeof allergen === "string" ? allergen.replaceAll("_", " ") : allergen.name);
