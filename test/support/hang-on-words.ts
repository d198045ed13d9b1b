/**
 * Loaded into real processes (`node --import`): whoever reads JSON that contains HANG_ON never gets further. Where a scripted model says
 * these words, that is the code of the run that asked it.
 */
const { HANG_ON } = process.env;
if (HANG_ON === undefined) throw new Error("HANG_ON is not set");

const parse = JSON.parse;
JSON.parse = (text, reviver) => {
  while (typeof text === "string" && text.includes(HANG_ON));
  return parse(text, reviver);
};
