import * as fc from "fast-check";

import { testSeed } from "../seeded.ts";

fc.configureGlobal({ seed: testSeed() });
