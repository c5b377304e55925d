import { html } from "../../../lib/html.ts";
import type { Html } from "../../../lib/html.ts";

interface Picker {
  readonly name: string;
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly chosen: string;
}

/** Selects what is drawn; nothing where there is no choice. */
export const picker = ({ name, label, options, chosen }: Picker): Html | null =>
  options.length < 2
    ? null
    : html`<form class="filters">
        <label
          >${label}
          <select name="${name}">
            ${options.map(
              (option) =>
                html`<option value="${option.value}" ${option.value === chosen && html`selected`}>
                  ${option.label}
                </option>`,
            )}
          </select></label
        >
        <button>Show</button>
      </form>`;
