import { z } from "zod";

import { Settings } from "../../../engines/delivery/schema/settings.ts";
import { Slot } from "../../../engines/delivery/schema/slot.ts";
import { html } from "../../../lib/html.ts";
import type { Html } from "../../../lib/html.ts";
import { addDays, datesFrom, localDateAt } from "../../../lib/local-time.ts";
import { showDate } from "../../../lib/show.ts";
import type { Drawing } from "./drawing.ts";
import { picker } from "./picker.ts";

const Named = z.object({ id: z.string(), name: z.string() });
const ListedZone = Named.extend({ active: z.boolean(), slot_window_ids: z.array(z.string()) });
const DAYS_SHOWN = 14;

/** The capacity of a zone or pickup location: a row for each day, a column for each slot window. */
export const SLOTS: Drawing = {
  path: "slots",
  title: "Slots",
  async draw(reader, asked) {
    const zones = await reader.list("delivery.zones.list", ListedZone);
    const places = [
      ...zones
        .filter(({ active }) => active)
        // Those with the most slot windows first: others may have nothing to draw.
        .toSorted((a, b) => b.slot_window_ids.length - a.slot_window_ids.length)
        .map(({ id, name }) => ({ id, name, filter: "zone_id" })),
      ...(await reader.list("delivery.locations.list", Named)).map((place) => ({
        ...place,
        filter: "location_id",
      })),
    ];
    const windows = await reader.list("delivery.slot-windows.list", Named);
    const place = places.find(({ id }) => id === asked["place"]) ?? places[0];
    if (place === undefined || windows.length === 0) {
      return html`<p role="status">
        This store has
        ${place === undefined ? "no delivery zones and no pickup locations" : "no slot windows"}, so guests
        cannot choose a time.
      </p>`;
    }
    const settings = await reader.read("delivery.settings.get", Settings);
    const span = spanOf(asked["from"], localDateAt(reader.now, settings.time_zone), settings.horizon_days);
    const query = { [place.filter]: place.id, from: span.from, to: span.to };
    const slots = await reader.list("delivery.slots.list", Slot, query);
    const names = new Map(windows.map(({ id, name }) => [id, name]));
    const options = places.map(({ id, name }) => ({ value: id, label: name }));
    const link = (from: string | null, label: string): Html | null =>
      from === null
        ? null
        : html`<a class="button quiet" href="?${new URLSearchParams({ place: place.id, from }).toString()}"
            >${label}</a
          >`;
    return html`<p class="soft">Local times of the store (${settings.time_zone}).</p>
      ${picker({ name: "place", label: "Zone or location", options, chosen: place.id })}
      ${
        slots.length === 0
          ? html`<p role="status">
              ${place.name} has no slots from ${showDate(span.from, "long", reader.locale)} to
              ${showDate(span.to, "long", reader.locale)}.
            </p>`
          : html`${sumOf(slots)} ${calendar(slots, { ...span, names, locale: reader.locale })}`
      }
      <p>${link(span.before, "Earlier")} ${link(span.after, "Later")}</p>`;
  },
};

/** The days of a page, and the first days of the pages next to it; null where there is none. */
export function spanOf(
  asked: string | undefined,
  today: string,
  horizonDays: number,
): {
  readonly from: string;
  readonly to: string;
  readonly before: string | null;
  readonly after: string | null;
} {
  const last = addDays(today, horizonDays - 1);
  const isDay = asked !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(asked) && asked > today && asked <= last;
  const from = isDay ? asked : today;
  const end = addDays(from, DAYS_SHOWN - 1);
  const back = addDays(from, -DAYS_SHOWN);
  return {
    from,
    to: end < last ? end : last,
    before: from === today ? null : back < today ? today : back,
    after: end < last ? addDays(end, 1) : null,
  };
}

/** All slots of the page in one line. */
function sumOf(slots: readonly Slot[]): Html {
  const open = slots.filter(({ status }) => status === "open" || status === "full");
  const sum = (of: (slot: Slot) => number): number => open.reduce((total, slot) => total + of(slot), 0);
  return html`<p>
    <span class="legend booked">${sum(({ booked }) => booked)} booked</span>
    <span class="legend held">${sum(({ held }) => held)} held</span>
    <span class="legend left">${sum(({ remaining }) => remaining)} left</span>
    <span class="soft">of ${sum(({ capacity }) => capacity)} in ${open.length} slots that can be booked</span>
  </p>`;
}

interface Calendar {
  readonly from: string;
  readonly to: string;
  /** Of slot windows by their ids. */
  readonly names: ReadonlyMap<string, string>;
  readonly locale: string;
}

function calendar(slots: readonly Slot[], { from, to, names, locale }: Calendar): Html {
  const columns = new Map(slots.map(({ slot_window_id: id, local }) => [id, local]));
  const windows = [...columns].toSorted(([, a], [, b]) => (a.start + a.end < b.start + b.end ? -1 : 1));
  const byId = new Map(slots.map((slot) => [slot.id, slot]));
  const day = new Intl.DateTimeFormat(locale, {
    weekday: "short",
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  });
  return html`<div class="wide" tabindex="0" role="region" aria-label="Calendar">
    <table class="slots">
      <thead>
        <tr>
          <th scope="col">Day</th>
          ${windows.map(
            ([id, local]) =>
              html`<th scope="col">
                <span class="state">${local.start}–${local.end}</span>
                <small class="soft">${names.get(id) ?? ""}</small>
              </th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${datesFrom(from, to).map(
          (date) =>
            html`<tr>
              <th scope="row" lang="${locale}">${day.format(new Date(date))}</th>
              ${windows.map(([id]) => cell(byId.get(`${id}@${date}`)))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function cell(slot: Slot | undefined): Html {
  if (slot === undefined) return html`<td class="soft">–</td>`;
  const { booked, capacity, held, reason, remaining, status } = slot;
  const used = [booked > 0 ? `${booked} booked` : "", held > 0 ? `${held} held` : ""].filter(
    (text) => text !== "",
  );
  const verdict = {
    open: `${remaining} of ${capacity} left`,
    full: "Full",
    closed: "Closed",
    blocked: "Blocked",
  };
  return html`<td class="slot ${status}">
    <strong>${verdict[status]}</strong>
    ${bar(slot)} ${used.length > 0 && html`<small>${used.join(", ")}</small>`}
    ${reason !== null && status !== "full" && html`<small class="soft">${reason.detail}</small>`}
  </td>`;
}

/** What is booked, held and left, as lengths; the text has the same figures. */
function bar({ booked, capacity, held }: Slot): Html {
  const width = (quantity: number): number => Math.min(100, (100 * quantity) / Math.max(1, capacity));
  return html`<svg class="capacity" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class="booked" width="${width(booked).toFixed(1)}" height="6" />
    <rect class="held" x="${width(booked).toFixed(1)}" width="${width(held).toFixed(1)}" height="6" />
  </svg>`;
}
