/** The Chinese form describes every setting in Chinese. */
import { Role } from "@mimikit/protocol/base/role";
import { chineseDescription } from "@mimikit/protocol/texts/chinese-settings";
import { CONFIG_FIELDS } from "@mimikit/runtime/config/fields";
import { expect, test } from "vitest";

test("each setting has a Chinese description, and one that there is not has none", () => {
  const names = CONFIG_FIELDS.map(({ path }) => path.join("."));
  expect(names.filter((name) => !/\p{Script=Han}/u.test(chineseDescription(name) ?? ""))).toEqual([]);
  expect(chineseDescription("port.number")).toBeUndefined();
});

test("where a setting is that of a role, its description names the role", () => {
  for (const role of Role.options)
    expect(chineseDescription(`models.${role}`)?.toLowerCase()).toMatch(new RegExp(`^${role} `));
});
