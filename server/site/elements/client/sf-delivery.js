import { announce, call, el, money, StorefrontElement, wordsIn } from "./shared.js";

const WORDS = {
  en: {
    postcode: "Postcode",
    check: "Check",
    yes: "We deliver to",
    fee: "Delivery",
    free: "free",
    minimum: "Minimum order",
    choose: "Choose a time",
    none: "No times are open at the moment.",
    held: "Held for you until",
    full: "full",
  },
  de: {
    postcode: "Postleitzahl",
    check: "Prüfen",
    yes: "Wir liefern nach",
    fee: "Lieferung",
    free: "kostenlos",
    minimum: "Mindestbestellwert",
    choose: "Zeit wählen",
    none: "Zurzeit sind keine Zeiten frei.",
    held: "Für Sie reserviert bis",
    full: "belegt",
  },
  fr: {
    postcode: "Code postal",
    check: "Vérifier",
    yes: "Nous livrons à",
    fee: "Livraison",
    free: "gratuite",
    minimum: "Commande minimale",
    choose: "Choisissez un horaire",
    none: "Aucun horaire n’est libre pour le moment.",
    held: "Réservé pour vous jusqu’à",
    full: "complet",
  },
};
const SLOTS_MAX = 60;

/**
 * `<sf-delivery basket-total="2999" hold>`: whether a postcode is served, at what fee, and when, as a calendar. With `hold` the
 * chosen slot is held. The page hears `sf-slot` with `{ slot, hold, postcode }`.
 */
export default class extends StorefrontElement {
  static observedAttributes = ["basket-total", "postcode", "country"];
  #answer = el("div", { role: "status" });
  /** Holds by slot and postcode, and until when they last: a visitor who comes back to a slot would find it taken by the own hold. */
  #holds = new Map();

  async draw() {
    const words = wordsIn(this.language, WORDS);
    const input = el("input", {
      name: "postcode",
      required: true,
      autocomplete: "postal-code",
      maxlength: "12",
      value: this.getAttribute("postcode") ?? "",
    });
    const check = async (event) => {
      event.preventDefault();
      try {
        this.#answer.replaceChildren(...(await this.#check(input.value, words)));
      } catch (error) {
        this.#answer.replaceChildren(el("p", {}, error.message));
      }
    };
    const form = el(
      "form",
      { onsubmit: check },
      el("label", {}, words.postcode, input),
      " ",
      el("button", { class: "main" }, words.check),
    );
    return [form, this.#answer];
  }

  async #check(postcode, words) {
    const basketTotal = Number(this.getAttribute("basket-total") ?? 0);
    const country = this.getAttribute("country") ?? undefined;
    const found = await call(this, "POST", "/v1/delivery/validate", { postcode, basketTotal, country });
    announce(this, "sf-delivery", found);
    const problems = found.reasons.map(({ detail }) => el("p", {}, detail));
    if (found.zone === null) return problems;
    const lang = this.language;
    const fee = found.fee === 0 ? words.free : money(found.fee ?? 0, found.currency, lang);
    return [
      el(
        "p",
        {},
        el("strong", {}, `${words.yes} ${found.postcode}`),
        ` ${words.fee}: ${fee}. ${words.minimum}: ${money(found.minimum_order, found.currency, lang)}.`,
      ),
      ...problems,
      ...(await this.#calendar(found, words)),
    ];
  }

  async #calendar({ postcode, zone, currency, basket_total: basketTotal }, words) {
    const slots = await call(
      this,
      "GET",
      `/v1/delivery/slots?zone_id=${zone.id}&channel=delivery&basket_total=${basketTotal}&limit=${SLOTS_MAX}`,
    );
    if (slots.length === 0) return [el("p", {}, words.none)];
    const note = el("p", { role: "status" });
    const days = new Map();
    for (const slot of slots) days.set(slot.local.date, [...(days.get(slot.local.date) ?? []), slot]);
    const choose = (slot) => async (event) => {
      const { currentTarget: chosen } = event;
      try {
        note.textContent = await this.#choose(slot, postcode, words);
        for (const button of this.#answer.querySelectorAll("button"))
          button.setAttribute("aria-pressed", String(button === chosen));
      } catch (error) {
        note.textContent = error.message;
      }
    };
    const button = (slot) => {
      const isOpen = slot.status === "open" || this.#heldFor(slot, postcode) !== null;
      const price = isOpen ? money(slot.fee, currency, this.language) : words.full;
      return el(
        "li",
        {},
        el(
          "button",
          { type: "button", disabled: !isOpen, "aria-pressed": "false", onclick: choose(slot) },
          `${slot.local.start}–${slot.local.end} `,
          el("span", { class: "soft" }, price),
        ),
      );
    };
    const weekday = new Intl.DateTimeFormat(this.language, {
      weekday: "short",
      day: "numeric",
      month: "short",
      timeZone: "UTC",
    });
    return [
      el("h3", {}, words.choose),
      el(
        "div",
        { class: "days" },
        [...days].map(([date, own]) =>
          el("section", {}, el("strong", {}, weekday.format(new Date(date))), el("ul", {}, own.map(button))),
        ),
      ),
      note,
    ];
  }

  async #choose(slot, postcode, { held }) {
    if (!this.hasAttribute("hold")) {
      announce(this, "sf-slot", { slot, hold: null, postcode });
      return "";
    }
    const hold = await this.#hold(slot, postcode);
    announce(this, "sf-slot", { slot, hold, postcode });
    return `${held} ${new Intl.DateTimeFormat(this.language, { timeStyle: "short" }).format(new Date(hold.expires_at))}`;
  }

  async #hold(slot, postcode) {
    try {
      const hold = await call(this, "POST", "/v1/delivery/holds", { slot_id: slot.id, postcode });
      // By the time that it lasts: the clock of the visitor may be wrong.
      const until = performance.now() + Date.parse(hold.expires_at) - Date.parse(hold.created_at);
      this.#holds.set(`${slot.id} ${postcode}`, { hold, until });
      return hold;
    } catch (error) {
      const own = error.code === "slot_full" ? this.#heldFor(slot, postcode) : null;
      if (own === null) throw error;
      return own;
    }
  }

  #heldFor(slot, postcode) {
    const known = this.#holds.get(`${slot.id} ${postcode}`);
    return known !== undefined && performance.now() < known.until ? known.hold : null;
  }
}
