import type { EventType } from "../../../core/engine.ts";

const hold = {
  hold_id: "hld_01JD8Z5T9QK3M4N5P6R7S8T9V0",
  slot_window_id: "win_01JD8Z5T9QK3M4N5P6R7S8T9V1",
  date: "2026-06-02",
  zone_id: null,
  location_id: null,
  quantity: 1,
};

/** Events of the engine. */
export const deliveryEvents: readonly EventType[] = [
  { type: "delivery.slot.held", summary: "Capacity of a slot is reserved while a customer pays.", example: hold },
  { type: "delivery.slot.booked", summary: "A hold was confirmed as a booking.", example: hold },
  { type: "delivery.slot.moved", summary: "A hold or booking was moved to another slot.", example: hold },
  { type: "delivery.slot.released", summary: "A hold was released.", example: hold },
  { type: "delivery.slot.cancelled", summary: "A booking was cancelled.", example: hold },
];
