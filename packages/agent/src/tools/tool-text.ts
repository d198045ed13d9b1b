/** The answer of a tool that is text by itself; any other answer is shown to the model as JSON. */
import { z } from "zod";

export const ToolText = z.strictObject({
  text: z.string(),
  /** The file that holds all of it. */
  artifact: z.string().optional(),
});
