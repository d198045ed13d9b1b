/** The tables of roles and kinds say nothing twice that could differ. */
import { byRole, KINDS, kindsOf, ROLES, TARGETS, type TaskKind } from "@mimikit/protocol/base/kind";
import { Role } from "@mimikit/protocol/base/role";
import { ResultType } from "@mimikit/protocol/records/result";
import { expect, test } from "vitest";

const KIND_NAMES = Object.keys(KINDS) as TaskKind[];

test("a trigger may be for the Teller, who is told, and for each role that has one kind of order", () => {
  const ordered = kindsOf("order").map((kind) => KINDS[kind].role);
  expect(["teller", ...ordered].sort()).toEqual([...TARGETS].sort());
});

test("every role has a kind of task", () => {
  expect(new Set(KIND_NAMES.map((kind) => KINDS[kind].role))).toEqual(new Set(Role.options));
});

test("what a task hands in is a type of result", () => {
  for (const kind of KIND_NAMES) for (const type of KINDS[kind].results) expect(ResultType.options).toContain(type);
});

test("one value for each role is in the order of the roles", () => {
  expect(Object.entries(byRole((role) => role.length))).toEqual(Object.keys(ROLES).map((role) => [role, role.length]));
});
