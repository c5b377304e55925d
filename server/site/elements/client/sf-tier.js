import { call, el, StorefrontElement } from "./shared.js";

/** `<sf-tier level="lvl_…">`: the levels of the loyalty programme with what they bring; `level` marks the visitor's own. */
export default class extends StorefrontElement {
  static observedAttributes = ["level"];

  async draw() {
    const levels = await call(this, "GET", "/v1/tiers/ladder");
    const own = this.getAttribute("level");
    return [
      el(
        "ol",
        {},
        levels.map(({ id, name, badge, benefits }) =>
          el(
            "li",
            { "aria-current": id === own ? "true" : null },
            el("strong", {}, name),
            badge === "" || badge.includes("/") ? null : ` ${badge}`,
            el(
              "ul",
              {},
              benefits.map(({ title }) => el("li", {}, title)),
            ),
          ),
        ),
      ),
    ];
  }
}
