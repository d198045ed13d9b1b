/** No answer of a question is hidden or shortened by its buttons: that could be the no. */
import { buttonsFor } from "@mimikit/core/tasks/buttons";
import fc from "fast-check";
import { expect, test } from "vitest";

test("the buttons are all of the options, in their order, or there are none", () => {
  const option = fc.string({ minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.array(option, { maxLength: 10 }), fc.nat(10), fc.nat(12), (options, countMax, unitsMax) => {
      const room = { countMax, fits: (label: string) => label.length <= unitsMax };
      const buttons = buttonsFor({ options }, room);
      const isWhole =
        options.length <= countMax && options.every((each) => each.length <= unitsMax && each.trim() !== "");
      expect(buttons).toEqual(options.length > 0 && isWhole ? options : null);
    }),
  );
});
