/** A query in an address has only texts: what a field of it says is made of its text, and then checked like any other. */
import { z } from "zod";

/** A number that is written as a text. A default is given by `prefault`: a `default` would be left out of the OpenAPI. */
export function numberFrom<T extends z.ZodType>(schema: T) {
  return z.preprocess(Number, schema);
}

/** A list with commas between its members. */
export function listFrom<T extends z.ZodType>(schema: T) {
  return z.preprocess((text) => (typeof text === "string" ? text.split(",") : text), schema);
}
