/** What all elements share: the API, the page's language, amounts of money, and one style. */

const api = { base: "", key: "" };

/** `url` is the address of elements.js: its folder is the service, its `key` the publishable key. */
export function configure(url) {
  api.base = new URL(".", url).href.replace(/\/$/, "");
  api.key = url.searchParams.get("key") ?? "";
}

export const addressOf = (path) => api.base + path;
export const keyOf = (element) => element.getAttribute("key") ?? api.key;

/** `data` of an answer of the API. Throws an Error with the words of the problem, its `code` and `status`. */
export async function call(element, method, path, body) {
  const headers = { authorization: `Bearer ${keyOf(element)}` };
  const sent = { method, headers };
  if (body !== undefined) {
    headers["content-type"] = "application/json";
    sent.body = JSON.stringify(body);
  }
  const answer = await fetch(addressOf(path), sent);
  const json = await answer.json().catch(() => ({}));
  if (answer.ok) return json.data;
  const { detail = "The service does not answer. Try again later.", code } = json.error ?? {};
  throw Object.assign(new Error(detail), { code, status: answer.status });
}

/** Elements by tag, properties and children; text is never read as HTML. */
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""),
  );
  return node;
}

/** Minor units of a currency, as the language writes them. */
export function money(amount, currency, lang) {
  const format = new Intl.NumberFormat(lang, { style: "currency", currency });
  return format.format(amount / 10 ** format.resolvedOptions().maximumFractionDigits);
}

/** The words of an element in the page's language, else in English. */
export const wordsIn = (lang, words) => words[lang.slice(0, 2).toLowerCase()] ?? words.en;

const style = new CSSStyleSheet();
style.replaceSync(`
:host { display: block; color: var(--sf-text, inherit); font: var(--sf-font, inherit); --line: color-mix(in srgb, currentColor 25%, transparent);
  --accent: var(--sf-accent, #0b57d0); --on-accent: var(--sf-on-accent, #fff); --radius: var(--sf-radius, .4rem); }
:host([hidden]) { display: none; }
* { box-sizing: border-box; }
h3 { font-size: 1.15em; margin: 1.2em 0 .4em; }
ul, ol { list-style: none; margin: 0; padding: 0; }
li { padding: .6em 0; border-top: 1px solid var(--line); }
p { margin: .2em 0; }
.row { display: flex; gap: 1em; justify-content: space-between; }
.soft { opacity: .8; font-size: .9em; }
.off { text-decoration: line-through; }
button, input { font: inherit; color: inherit; background: transparent; border: 1px solid currentColor; border-radius: var(--radius); padding: .45em .8em; min-height: 2.5em; }
button { cursor: pointer; }
button[aria-pressed="true"], button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button:focus-visible, input:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
fieldset { border: 1px solid var(--line); border-radius: var(--radius); display: flex; flex-wrap: wrap; gap: .4em 1em; margin: 0 0 .6em; }
label { display: inline-flex; gap: .4em; align-items: center; min-height: 2em; }
input[type="checkbox"] { min-height: 0; width: 1.1em; height: 1.1em; accent-color: var(--accent); }
.days { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: 1em; margin-top: .8em; }
.days li { border: 0; padding: .2em 0; }
.days button { width: 100%; text-align: left; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .3em .5em; text-align: center; font-weight: inherit; }
tbody th { text-align: left; }
.photo { width: 6em; height: 6em; object-fit: cover; border-radius: var(--radius); margin: .2em .4em .2em 0; }
.stars { letter-spacing: .1em; white-space: nowrap; }
`);

const WORDS = {
  en: { again: "Try again" },
  de: { again: "Erneut versuchen" },
  fr: { again: "Réessayer" },
};

/** An element that is drawn again when an attribute changes; until the first response it shows its content in the page. */
export class StorefrontElement extends HTMLElement {
  #turn = 0;

  constructor() {
    super();
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = [style];
    this.shadowRoot.append(document.createElement("slot"));
  }

  connectedCallback() {
    void this.update();
  }

  attributeChangedCallback() {
    if (this.isConnected) void this.update();
  }

  get language() {
    const lang = this.closest("[lang]")?.lang || document.documentElement.lang || navigator.language || "en";
    return Intl.NumberFormat.supportedLocalesOf([lang]).length > 0 ? lang : "en";
  }

  /** Replaces what is shown by what `draw` resolves to, or by why it failed. */
  async update() {
    this.#turn += 1;
    const turn = this.#turn;
    this.setAttribute("aria-busy", "true");
    let nodes;
    try {
      nodes = await this.draw();
    } catch (error) {
      console.error(error);
      const { again } = wordsIn(this.language, WORDS);
      nodes = [
        el("p", { role: "alert" }, error.message),
        el("button", { type: "button", onclick: () => this.update() }, again),
      ];
    }
    if (turn !== this.#turn) return;
    this.removeAttribute("aria-busy");
    this.shadowRoot.replaceChildren(...nodes);
  }
}

/** Dispatches what the visitor chose to the page. */
export const announce = (element, name, detail) =>
  element.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
