import { engineContract } from "../testing.ts";
import { giftCards } from "./gift-cards.ts";

engineContract(giftCards());
