import { call, el, StorefrontElement, wordsIn } from "./shared.js";

const WORDS = {
  en: {
    avoid: "I avoid",
    fits: "No",
    may: "May contain",
    contains: "Contains",
    unknown: "Not known: ask us",
    matrix: "All products and allergens",
    product: "Product",
    key: "C: contains. M: may contain. –: does not contain. ?: not known.",
    count: (n) => `${n} products without what you avoid`,
  },
  de: {
    avoid: "Ich meide",
    fits: "Nein",
    may: "Kann enthalten",
    contains: "Enthält",
    unknown: "Nicht bekannt: fragen Sie uns",
    matrix: "Alle Produkte und Allergene",
    product: "Produkt",
    key: "C: enthält. M: kann enthalten. –: enthält nicht. ?: nicht bekannt.",
    count: (n) => `${n} Produkte ohne das, was Sie meiden`,
  },
  fr: {
    avoid: "J’évite",
    fits: "Non",
    may: "Peut contenir",
    contains: "Contient",
    unknown: "Inconnu : interrogez-nous",
    matrix: "Tous les produits et allergènes",
    product: "Produit",
    key: "C : contient. M : peut contenir. – : ne contient pas. ? : inconnu.",
    count: (n) => `${n} produits sans ce que vous évitez`,
  },
};

/** `<sf-allergens mode="uk">`: which verified products suit a guest, and the matrix of all of them. */
export default class extends StorefrontElement {
  static observedAttributes = ["mode"];

  async draw() {
    const mode = this.getAttribute("mode");
    const path = `/v1/allergens/matrix${mode === null ? "" : `?mode=${encodeURIComponent(mode)}`}`;
    const { codes, rows } = await call(this, "GET", path);
    const words = wordsIn(this.language, WORDS);
    const avoided = new Set();
    const list = el("ul", {});
    const status = el("p", { role: "status", class: "soft" });
    const show = () => {
      const judged = rows.map((row) => ({ row, ...judge(row, avoided, codes, words) }));
      judged.sort((a, b) => a.rank - b.rank);
      list.replaceChildren(...judged.map(({ row, text }) => itemOf(row, text)));
      const count = judged.filter(({ rank }) => rank === 0).length;
      status.textContent = avoided.size === 0 ? "" : words.count(count);
    };
    const choice = ({ code, name }) => {
      const change = ({ target }) => {
        if (target.checked) avoided.add(code);
        else avoided.delete(code);
        show();
      };
      return el("label", {}, el("input", { type: "checkbox", onchange: change }), name);
    };
    show();
    return [
      el("fieldset", {}, el("legend", {}, words.avoid), codes.map(choice)),
      status,
      list,
      el(
        "details",
        {},
        el("summary", {}, words.matrix),
        el("p", { class: "soft" }, words.key),
        tableOf(codes, rows, words),
      ),
    ];
  }
}

const itemOf = ({ title }, text) =>
  el("li", { class: "row" }, el("strong", {}, title), text === "" ? null : el("span", {}, text));

/** The worst of what is avoided: contained, perhaps contained, not known; a blank text where none of it is. */
function judge({ cells, status }, avoided, codes, words) {
  const asked = codes.filter(({ code }) => avoided.has(code));
  const withCell = (cell) => asked.filter(({ code }) => cells[code] === cell).map(({ name }) => name);
  const [contained, perhaps, unknown] = [withCell("C"), withCell("M"), withCell("?")];
  if (contained.length > 0) return { rank: 3, text: `${words.contains}: ${contained.join(", ")}` };
  if (perhaps.length > 0) return { rank: 2, text: `${words.may}: ${perhaps.join(", ")}` };
  if (unknown.length > 0 || (asked.length > 0 && status !== "verified"))
    return { rank: 1, text: words.unknown };
  return { rank: 0, text: "" };
}

const tableOf = (codes, rows, { product }) =>
  el(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": product },
    el(
      "table",
      {},
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, product),
          codes.map(({ name }) => el("th", { scope: "col" }, name)),
        ),
      ),
      el(
        "tbody",
        {},
        rows.map(({ title, cells }) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, title),
            codes.map(({ code }) => el("td", {}, cells[code] === "-" ? "–" : (cells[code] ?? "?"))),
          ),
        ),
      ),
    ),
  );
