/** Checks of data that were compiled while the page runs would be code out of texts, which its content security policy forbids. */
import { config } from "zod";

config({ jitless: true });
