/** The Chinese page says every condition in Chinese. */
import { ATOM_TYPES, ROWS, saidOf } from "@mimikit/protocol/triggers/atoms";
import { rows, wordings } from "@mimikit/protocol/triggers/chinese-atoms";
import { expect, test } from "vitest";

/** Words that are the same in every language. */
const PATTERN = /^[^ ]*$/;

test.each(ATOM_TYPES)("the form asks for %s in Chinese", (type) => {
  const { label, fields, checks = [] } = ROWS[type];
  const ofFields = Object.values(fields).flatMap(({ label, placeholder, refused }) => [label, placeholder, refused]);
  const said = [label, ...ofFields, ...checks.map(({ refused }) => refused)].filter((text) => text !== undefined);
  const missing = said.filter((text) => !(text in wordings) && !(PATTERN.test(text) && ofFields.includes(text)));
  expect(missing).toEqual([]);
});

test.each(ATOM_TYPES)("%s is said in Chinese with all that it must hold, and otherwise where it is not so", (type) => {
  const { fields } = ROWS[type];
  const params = Object.fromEntries(Object.keys(fields).map((name) => [name, `<${name}>`]));
  const [isSo, isNot] = rows[type].said(saidOf({ type, params }, (_, value) => String(value)));
  expect(isNot).not.toBe(isSo);
  for (const [name, { isOptional }] of Object.entries(fields))
    if (!isOptional) for (const sentence of [isSo, isNot]) expect(sentence).toContain(`<${name}>`);
});
