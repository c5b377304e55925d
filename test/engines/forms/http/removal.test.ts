import { afterEach, expect, it } from "vitest";

import { createMemoryDriver } from "../../../../server/storage/memory.ts";
import { createTestClock } from "../../../harness.ts";
import { ada, createShop, plain, refusal } from "./shop.ts";
import type { Shop } from "./shop.ts";

let shop: Shop | undefined;
afterEach(() => shop?.harness.close());

it.each(["a submission", "a partial submission"])(
  "409 form_has_submissions when %s arrives while the form is deleted",
  async (name) => {
    const store = createMemoryDriver({ clock: createTestClock("2026-06-01T09:00:00.000Z") });
    let arrive = async (): Promise<unknown> => undefined;
    const own = await createShop({
      store: {
        ...store,
        async commit(part, ops, ...rest) {
          if (ops.some((op) => "del" in op && op.del.includes(":forms.forms:"))) {
            const once = arrive;
            arrive = async () => undefined;
            await once();
          }
          return store.commit(part, ops, ...rest);
        },
      },
    });
    shop = own;
    const id = await own.form(plain({ settings: { allow_partial: true } }));
    arrive = async () => {
      const answer = await own.send(id, ada, { partial: name === "a partial submission" });
      expect(answer.status, answer.text).toBeLessThan(300);
    };
    expect(refusal(await own.call("DELETE", `/${id}`))).toBe("409 form_has_submissions");
    expect((await own.call("GET", `/${id}`)).status).toBe(200);
  },
);
