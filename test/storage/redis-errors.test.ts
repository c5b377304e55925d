import { ReplyError } from "ioredis";
import { expect, it } from "vitest";

import { toStoreError } from "../../server/storage/redis/errors.ts";

const SCRIPT = "ERR Error running script (call to f_8a38b170fb7d4f1abf9903e717c2bb8be729a402): ";
const PLACE = "@user_script:179: @user_script: 179: ";

// What Redis 6.2.16 answers: later ones answer scripts with the error itself.
it.each([
  [`${SCRIPT}${PLACE}-OOM command not allowed when used memory > 'maxmemory'.`, "FULL"],
  ["ERR -OOM command not allowed when used memory > 'maxmemory'.", "FULL"],
  [`${SCRIPT}${PLACE}-READONLY You can't write against a read only replica.`, "UNAVAILABLE"],
  [`${SCRIPT}${PLACE}-NOREPLICAS Not enough good replicas to write.`, "UNAVAILABLE"],
  [`${SCRIPT}${PLACE}-MISCONF Errors writing to the AOF file: No space left on device`, "FULL"],
  [`${SCRIPT}${PLACE}attempt to compare nil with number`, "CORRUPT"],
  ["WRONGTYPE Operation against a key holding the wrong kind of value", "CORRUPT"],
])("means the same in a script before Redis 7: %s", (message, code) => {
  expect(toStoreError(new ReplyError(message), "127.0.0.1:6379", "commit")).toMatchObject({ code });
});
